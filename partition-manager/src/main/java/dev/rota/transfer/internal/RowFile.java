package dev.rota.transfer.internal;

import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.archive.internal.parquet.Staging;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * Collects rows on disk, in their order, and writes them as one Parquet file, in bounded memory.
 * Not thread-safe.
 */
final class RowFile implements AutoCloseable {

  private static final String TABLE = "staged";

  private final TableLayout table;
  private final Path work;
  private final DuckDbFile duck;
  private @Nullable DuckDBAppender appender;
  private long rows;

  private RowFile(TableLayout table, Path work, DuckDbFile duck) {
    this.table = table;
    this.work = work;
    this.duck = duck;
  }

  /**
   * Opens a file without rows.
   *
   * @param work the folder for temporary files, in which it creates one
   */
  static RowFile open(TableLayout table, Path work, long memory) throws IOException {
    Path own = Files.createTempDirectory(work, table.name());
    DuckDbFile duck = DuckDbFile.open(own, memory);
    duck.execute(
        "create table "
            + TABLE
            + " ("
            + table.columns().stream().map(Column::staged).collect(Collectors.joining(", "))
            + ")");
    return new RowFile(table, own, duck);
  }

  long rows() {
    return rows;
  }

  /** Adds the row of a result that has the columns of the table. */
  void append(ResultSet row) throws SQLException {
    List<Column> columns = table.columns();
    @Nullable Object[] values = new @Nullable Object[columns.size()];
    for (int i = 0; i < values.length; i++) {
      boolean isText = columns.get(i).isText();
      values[i] = isText ? row.getString(i + 1) : number(row, i + 1);
    }
    append(values);
  }

  /**
   * Adds a row of numbers and texts.
   *
   * @throws UncheckedIOException if it cannot be stored, for instance on a full disk
   */
  void append(@Nullable Object... values) {
    try {
      DuckDBAppender to = appender();
      to.beginRow();
      for (int i = 0; i < values.length; i++) {
        if (table.columns().get(i).isText()) {
          to.append((String) values[i]);
        } else {
          to.append((Long) values[i]);
        }
      }
      to.endRow();
      rows++;
    } catch (SQLException e) {
      throw new UncheckedIOException(DuckDbFile.trouble("DuckDB cannot write", e));
    }
  }

  static @Nullable Long number(ResultSet row, int column) throws SQLException {
    long number = row.getLong(column);
    return row.wasNull() ? null : (Long) number;
  }

  /** Writes the added rows. */
  void write(Path file) throws IOException {
    flush();
    requireAll();
    duck.execute(
        "copy (select %s from %s) to %s (format parquet, compression zstd)"
            .formatted(table.joined(Column::filed), TABLE, DuckDbFile.literal(file.toString())));
  }

  @Override
  public void close() throws IOException {
    try {
      flush();
    } finally {
      try {
        duck.close();
      } finally {
        Staging.delete(work);
      }
    }
  }

  private DuckDBAppender appender() throws SQLException {
    if (appender == null) {
      appender = duck.connection().unwrap(DuckDBConnection.class).createAppender(TABLE);
    }
    return appender;
  }

  private void requireAll() throws IOException {
    long held =
        duck.query(
            "select count(*) from " + TABLE,
            result -> {
              result.next();
              return result.getLong(1);
            });
    if (held != rows) {
      throw new IOException("DuckDB holds " + held + " of " + rows + " rows of " + table.name());
    }
  }

  /**
   * Flushes the rows. Closing alone would not report that rows could not be written, on a full disk
   * for instance.
   */
  private void flush() throws IOException {
    DuckDBAppender open = appender;
    appender = null;
    if (open != null) {
      try {
        long unused = open.flush();
        open.close();
      } catch (SQLException e) {
        throw DuckDbFile.trouble("DuckDB cannot write", e);
      }
    }
  }
}
