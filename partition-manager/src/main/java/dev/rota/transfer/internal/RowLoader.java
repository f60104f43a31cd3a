package dev.rota.transfer.internal;

import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.archive.internal.parquet.Staging;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.sql.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Inserts rows of files into tables, some thousands or some megabytes at once, all in one
 * transaction. Used by one thread.
 */
final class RowLoader implements AutoCloseable {

  private static final Sql INSERT_ROWS = Sql.named("insert_rows");

  private static final int ROWS_TOGETHER = 5_000;
  private static final long BYTES_TOGETHER = 4L << 20;

  private final Session session;
  private final Path work;
  private final DuckDbFile duck;

  /**
   * The destination of rows.
   *
   * @param table the table
   * @param fixed the columns with the same value in all rows, with their values
   */
  record Target(Name table, Map<String, String> fixed) {

    static Target of(Name table) {
      return new Target(table, Map.of());
    }

    static Target of(Name table, String column, int value) {
      return new Target(table, Map.of(column, Integer.toString(value)));
    }
  }

  /** Changes a row before it is inserted. */
  interface Change {
    void make(@Nullable Object[] row);
  }

  private RowLoader(Session session, Path work, DuckDbFile duck) {
    this.session = session;
    this.work = work;
    this.duck = duck;
  }

  /**
   * Opens a loader for one transaction.
   *
   * @param within the folder of temporary files
   */
  static RowLoader open(Session session, Workplace within) throws IOException {
    Path work = Files.createTempDirectory(within.folder(), within.prefix());
    try {
      return new RowLoader(session, work, DuckDbFile.openForStreams(work, within.memory()));
    } catch (IOException e) {
      Staging.delete(work);
      throw e;
    }
  }

  /**
   * The settings of temporary files.
   *
   * @param folder their folder
   * @param prefix the prefix of their names
   * @param memory how many bytes DuckDB may use
   */
  record Workplace(Path folder, String prefix, long memory) {}

  DuckDbFile duck() {
    return duck;
  }

  /** Whether a file has a payload of more bytes than this. */
  boolean hasLarger(Path file, int bytes) throws IOException {
    return duck.query(
        "select count(*) from " + DuckDbFile.parquet(file) + " where strlen(payload) > " + bytes,
        result -> {
          result.next();
          return result.getLong(1) > 0;
        });
  }

  /** Inserts all rows of a file; returns their number. */
  long load(Path file, TableLayout table, Target target) throws IOException, SQLException {
    return load(
        "select " + table.joined(Column::loaded) + " from " + DuckDbFile.parquet(file),
        table,
        target);
  }

  /** Inserts all rows of a query of DuckDB that returns numbers and texts. */
  long load(String query, TableLayout table, Target target) throws IOException, SQLException {
    return load(query, table, target, row -> {});
  }

  /** Inserts all rows of a query, changing each row first. */
  long load(String query, TableLayout table, Target target, Change change)
      throws IOException, SQLException {
    String insertion = insertion(table, target);
    long loaded = 0;
    try (Statement statement = streaming();
        ResultSet rows = result(statement, query)) {
      Chunk chunk = new Chunk(table.columns());
      while (next(rows)) {
        chunk.add(rows, change);
        if (chunk.rows >= ROWS_TOGETHER || chunk.bytes >= BYTES_TOGETHER) {
          loaded += insert(insertion, chunk);
          chunk = new Chunk(table.columns());
        }
      }
      return loaded + insert(insertion, chunk);
    }
  }

  private long insert(String insertion, Chunk chunk) throws SQLException {
    return chunk.rows == 0
        ? 0
        : session.run(BoundStatement.update(INSERT_ROWS.call(), insertion, chunk.arrays()));
  }

  private static String insertion(TableLayout table, Target target) {
    StringBuilder columns = new StringBuilder();
    StringBuilder values = new StringBuilder();
    target
        .fixed()
        .forEach(
            (column, value) -> {
              columns.append(column).append(", ");
              values.append(value).append(", ");
            });
    Map<String, QueryPart> places =
        Map.of(
            "table", target.table(),
            "fixed", DSL.sql(columns.toString()),
            "fixed_values", DSL.sql(values.toString()),
            "columns", DSL.sql(table.names()),
            "values", DSL.sql(table.joined(Column::written)),
            "arrays", DSL.sql(table.joined(Column::bound)));
    return INSERT_ROWS.on(places);
  }

  private Statement streaming() throws IOException {
    try {
      return duck.connection().createStatement();
    } catch (SQLException e) {
      throw DuckDbFile.trouble("DuckDB cannot read", e);
    }
  }

  private static ResultSet result(Statement statement, String query) throws IOException {
    try {
      return statement.executeQuery(query);
    } catch (SQLException e) {
      throw DuckDbFile.trouble("DuckDB cannot read", e);
    }
  }

  private static boolean next(ResultSet rows) throws IOException {
    try {
      return rows.next();
    } catch (SQLException e) {
      throw DuckDbFile.trouble("DuckDB cannot read", e);
    }
  }

  /** A chunk of rows, column by column. */
  private static final class Chunk {
    private final List<Column> columns;
    private final List<List<@Nullable Object>> values = new ArrayList<>();
    private int rows;
    private long bytes;

    Chunk(List<Column> columns) {
      this.columns = columns;
      columns.forEach(column -> values.add(new ArrayList<>()));
    }

    void add(ResultSet row, Change change) throws SQLException {
      @Nullable Object[] read = new @Nullable Object[columns.size()];
      for (int i = 0; i < read.length; i++) {
        read[i] =
            columns.get(i).isText() ? row.getString(i + 1) : (Object) RowFile.number(row, i + 1);
      }
      change.make(read);
      for (int i = 0; i < read.length; i++) {
        bytes += read[i] instanceof String text ? text.length() : Long.BYTES;
        values.get(i).add(read[i]);
      }
      rows++;
    }

    Object[] arrays() {
      Object[] arrays = new Object[columns.size()];
      for (int i = 0; i < arrays.length; i++) {
        arrays[i] =
            columns.get(i).isText()
                ? values.get(i).toArray(String[]::new)
                : values.get(i).toArray(Long[]::new);
      }
      return arrays;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      duck.close();
    } finally {
      Staging.delete(work);
    }
  }
}
