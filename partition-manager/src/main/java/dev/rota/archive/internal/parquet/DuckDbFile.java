package dev.rota.archive.internal.parquet;

import dev.rota.internal.schema.HistoryColumn;
import dev.rota.internal.schema.HistoryColumns;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.duckdb.DuckDBDriver;

/**
 * A separate DuckDB database, in one file and with one thread, in bounded memory. Not thread-safe.
 *
 * <p>It loads no extensions from elsewhere: Parquet and ICU are in the library.
 */
public final class DuckDbFile implements AutoCloseable {

  private static final String CONTENTS =
      "select count(*), coalesce(sum(id), 0)::varchar, coalesce(sum(hash("
          + HistoryColumns.joined(HistoryColumns.OF_FILE, HistoryColumn::name)
          + ")::hugeint), 0)::varchar from ";

  private final Connection connection;

  /** Reads a result. */
  public interface Reading<T> {
    T read(ResultSet rows) throws SQLException;
  }

  private DuckDbFile(Connection connection) {
    this.connection = connection;
  }

  /**
   * Opens a database in the given folder, into which it also spills data that does not fit into
   * memory.
   */
  public static DuckDbFile open(Path folder, long memory) throws IOException {
    return open(folder, memory, new Properties());
  }

  /** Opens a database whose results are streamed, one at a time. */
  public static DuckDbFile openForStreams(Path folder, long memory) throws IOException {
    Properties properties = new Properties();
    properties.setProperty(DuckDBDriver.JDBC_STREAM_RESULTS, "true");
    return open(folder, memory, properties);
  }

  private static DuckDbFile open(Path folder, long memory, Properties properties)
      throws IOException {
    try {
      Connection connection =
          DriverManager.getConnection(
              "jdbc:duckdb:" + folder.resolve("staging.duckdb"), properties);
      DuckDbFile duck = new DuckDbFile(connection);
      duck.configure(folder, memory);
      return duck;
    } catch (SQLException e) {
      throw trouble("cannot open a DuckDB in " + folder, e);
    }
  }

  /** The connection, for appenders, and for queries of more than one statement. */
  public Connection connection() {
    return connection;
  }

  /** Runs a statement. */
  public void execute(String sql) throws IOException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw trouble("DuckDB cannot write", e);
    }
  }

  /** Runs a query. */
  public <T> T query(String sql, Reading<T> reading) throws IOException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return reading.read(rows);
    } catch (SQLException e) {
      throw trouble("DuckDB cannot read", e);
    }
  }

  /** Computes the contents of a table or file. */
  public Contents contents(String source) throws IOException {
    return query(
        CONTENTS + source,
        rows -> {
          rows.next();
          return new Contents(
              rows.getLong(1),
              new BigInteger(rows.getString(2)),
              new BigInteger(rows.getString(3)));
        });
  }

  /** Formats a file as the source of a query. */
  public static String parquet(Path file) {
    return "read_parquet(" + literal(file.toString()) + ")";
  }

  /** Formats a text as a literal of a statement. */
  public static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  @Override
  public void close() throws IOException {
    try {
      connection.close();
    } catch (SQLException e) {
      throw trouble("cannot close a DuckDB", e);
    }
  }

  private void configure(Path folder, long memory) throws IOException {
    execute("set threads = 1");
    writeOnThisThread();
    execute("set memory_limit = '" + (memory >> 10) + "KiB'");
    execute("set temp_directory = " + literal(folder.resolve("spill").toString()));
    execute("set autoinstall_known_extensions = false");
    execute("set autoload_known_extensions = false");
    execute("set TimeZone = 'UTC'");
  }

  /**
   * Turns the threads off that write in the background, which DuckDB has since 2.0. With them, a
   * COPY that fails as on a full disk can wait for one of them for ever. That one waits for a lock
   * of the COPY.
   */
  private void writeOnThisThread() throws IOException {
    if (query("select 1 from duckdb_settings() where name = 'async_threads'", ResultSet::next)) {
      execute("set async_threads = 0");
    }
  }

  /** Translates a failure of DuckDB for code that reads or writes files. */
  public static IOException trouble(String what, SQLException e) {
    String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("no reason");
    String advice =
        reason.startsWith("Out of Memory")
            ? "give it more by Archive.Builder.memory, or make room in the folder for temporary files"
            : "check the free space of the folder for temporary files";
    return new IOException(what + ": " + reason + "; " + advice, e);
  }
}
