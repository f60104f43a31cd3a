package dev.rota.archive.internal.parquet;

import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.text.SafeText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * Collects the rows of one segment on disk, sorts them and writes them as one Parquet file, in
 * bounded memory. Not thread-safe.
 *
 * <p>Times are accepted and kept as microseconds since 1970, which convert without loss.
 */
public final class Staging implements AutoCloseable {

  private static final String TABLE = "staged";

  /** The table is temporary, so that DuckDB neither compresses nor logs its data on disk. */
  private static final String CREATE =
      "create temporary table staged ("
          + HistoryColumns.joined(
              HistoryColumns.OF_FILE,
              column -> column.isTime() ? column.name() + " bigint" : column.definition())
          + ")";

  private static final String TYPED =
      HistoryColumns.joined(
          HistoryColumns.OF_FILE,
          column ->
              column.isTime()
                  ? "make_timestamp(%1$s)::timestamptz as %1$s".formatted(column.name())
                  : column.name());

  /** Fills values that the ledger no longer has from an older file of the same segment. */
  private static final String TIMES_OF_OLDER =
      """
      update staged s
         set worker = coalesce(s.worker, o.worker),
             claimed_at = coalesce(s.claimed_at, epoch_us(o.claimed_at)),
             finished_at = coalesce(s.finished_at, epoch_us(o.finished_at))
        from %s o
       where o.id = s.id and o.attempt = s.attempt and o.batch_id = s.batch_id""";

  /**
   * The bytes of a row group, whose rows are compressed together, and skipped together by readers.
   */
  private static final long GROUP_BYTES = 16L << 20;

  private static final long MOST_ROWS_IN_GROUP = 122_880;
  private static final long FEWEST_ROWS_IN_GROUP = 2_048;

  /**
   * The part of memory for rows that are sorted at once: they must fit into memory several times
   * over.
   */
  private static final int PARTS_OF_MEMORY = 8;

  private static final int SAMPLES_OF_PART = 256;
  private static final long BYTES_OF_NUMBERS = 64;

  private final Path folder;
  private final DuckDbFile duck;
  private final long bytesOfPart;
  private final PartBoundaries cuts;
  private @Nullable DuckDBAppender appender;
  private long rows;
  private long bytesOfText;

  /**
   * The range of a column's values; times in microseconds since 1970.
   *
   * @param from the least value, or null without any
   * @param to the greatest value, or null without any
   */
  public record Range(@Nullable Long from, @Nullable Long to) {}

  /**
   * How an attempt ended.
   *
   * @param state the effective state
   * @param error the error text, or null for that of its row
   * @param finishedAt the time of its end, or null for that of its row or batch
   */
  public record Ending(String state, @Nullable String error, @Nullable Long finishedAt) {}

  private Staging(Path folder, DuckDbFile duck, long memory) {
    this.folder = folder;
    this.duck = duck;
    bytesOfPart = memory / PARTS_OF_MEMORY;
    cuts = new PartBoundaries(bytesOfPart / SAMPLES_OF_PART);
  }

  /** Opens a new folder within the given one, with a name that has the prefix. */
  public static Staging open(Path within, String prefix, long memory) throws IOException {
    Path folder = Files.createTempDirectory(within, prefix);
    try {
      DuckDbFile duck = DuckDbFile.open(folder, memory);
      duck.execute(CREATE);
      return new Staging(folder, duck, memory);
    } catch (IOException e) {
      delete(folder);
      throw e;
    }
  }

  /** Removes remains in that folder under names with the prefix. */
  public static void discard(Path within, String prefix) throws IOException {
    List<Path> left;
    try (Stream<Path> all = Files.list(within)) {
      left = all.filter(each -> each.getFileName().toString().startsWith(prefix)).toList();
    }
    for (Path each : left) {
      delete(each);
    }
  }

  /** The DuckDB, to read files with. */
  public DuckDbFile duck() {
    return duck;
  }

  /** Returns a file beside the staged rows, which is removed with them. */
  public Path file(String name) {
    return folder.resolve(name);
  }

  /**
   * Adds the row of a result.
   *
   * @param row has, in the order of {@link HistoryColumns#OF_FILE}, the columns up to {@code
   *     traits}, and then {@code created_at} and {@code finished_at}
   * @param ending how the attempt ended
   * @param batch worker, claim and end of its batch, each null if unknown
   */
  public void append(ResultSet row, Ending ending, @Nullable Long[] batch) throws SQLException {
    long before = bytesOfText;
    DuckDBAppender to = appender();
    to.beginRow();
    for (int column = 1; column <= 3; column++) {
      number(to, row, column);
    }
    integer(to, row, 4);
    to.append(ending.state());
    text(to, row.getString(6));
    text(to, row.getString(7));
    text(to, ending.error() == null ? row.getString(8) : ending.error());
    text(to, row.getString(9));
    integer(to, row, 10);
    short lane = row.getShort(11);
    to.append(row.wasNull() ? null : (Short) lane);
    integer(to, row, 12);
    to.append(batch[0]);
    number(to, row, 13);
    to.append(batch[1]);
    to.append(finishedAt(row, ending, batch[2]));
    to.endRow();
    rows++;
    cuts.add(row.getLong(13), row.getLong(1), BYTES_OF_NUMBERS + bytesOfText - before);
  }

  /** Fills missing values from another file of the same segment. */
  public void completeFrom(Path older) throws IOException {
    flush();
    duck.execute(TIMES_OF_OLDER.formatted(DuckDbFile.parquet(older)));
  }

  /** Counts the attempts without a time of claim. */
  public long withoutClaim() throws IOException {
    flush();
    return duck.query(
        "select count(*) from staged where claimed_at is null",
        result -> {
          result.next();
          return result.getLong(1);
        });
  }

  /** The contents of the added rows. */
  public Contents contents() throws IOException {
    flush();
    Contents contents = duck.contents("(select " + TYPED + " from " + TABLE + ")");
    if (contents.rows() != rows) {
      throw new IOException(
          "DuckDB holds "
              + contents.rows()
              + " of "
              + rows
              + " rows; check the free space of the folder for temporary files");
    }
    return contents;
  }

  /** The least and greatest value of a column of numbers or times. */
  public Range range(String column) throws IOException {
    flush();
    return duck.query(
        "select min(%1$s), max(%1$s) from staged".formatted(column),
        result -> {
          result.next();
          return new Range((Long) result.getObject(1), (Long) result.getObject(2));
        });
  }

  /** Writes all rows, sorted so that readers can skip, and so that equal rows give equal files. */
  public void write(Path file, Map<String, String> facts) throws IOException {
    flush();
    String listed =
        facts.entrySet().stream()
            .map(fact -> fact.getKey() + ": " + DuckDbFile.literal(fact.getValue()))
            .collect(Collectors.joining(", ", "{", "}"));
    new SortedParts(duck, TABLE, folder)
        .write(
            cuts.every(bytesOfPart),
            TYPED,
            file,
            "compression zstd, row_group_size %d, kv_metadata %s".formatted(rowsInGroup(), listed));
  }

  @Override
  public void close() throws IOException {
    try {
      closeAppender();
    } finally {
      try {
        duck.close();
      } finally {
        delete(folder);
      }
    }
  }

  private long rowsInGroup() {
    long bytesOfRow = BYTES_OF_NUMBERS + bytesOfText / Math.max(rows, 1);
    return Math.max(FEWEST_ROWS_IN_GROUP, Math.min(MOST_ROWS_IN_GROUP, GROUP_BYTES / bytesOfRow));
  }

  private DuckDBAppender appender() throws SQLException {
    if (appender == null) {
      appender =
          duck.connection().unwrap(DuckDBConnection.class).createAppender("temp", "main", TABLE);
    }
    return appender;
  }

  /**
   * Flushes the rows. Closing alone would not report that rows could not be written, on a full disk
   * for instance.
   */
  private void flush() throws IOException {
    DuckDBAppender open = appender;
    if (open != null) {
      try {
        long unused = open.flush();
      } catch (SQLException e) {
        throw DuckDbFile.trouble("DuckDB cannot write", e);
      }
    }
    closeAppender();
  }

  private void closeAppender() throws IOException {
    DuckDBAppender open = appender;
    appender = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        throw DuckDbFile.trouble("DuckDB cannot write", e);
      }
    }
  }

  private static void number(DuckDBAppender to, ResultSet row, int column) throws SQLException {
    long number = row.getLong(column);
    to.append(row.wasNull() ? null : (Long) number);
  }

  private static @Nullable Long finishedAt(ResultSet row, Ending ending, @Nullable Long ofBatch)
      throws SQLException {
    if (ending.finishedAt() != null) {
      return ending.finishedAt();
    }
    long own = row.getLong(14);
    return row.wasNull() ? ofBatch : (Long) own;
  }

  private static void integer(DuckDBAppender to, ResultSet row, int column) throws SQLException {
    int number = row.getInt(column);
    to.append(row.wasNull() ? null : (Integer) number);
  }

  private void text(DuckDBAppender to, @Nullable String text) throws SQLException {
    if (text != null) {
      bytesOfText += SafeText.utf8Length(text);
    }
    to.append(text);
  }

  /** Removes a folder with its content, if it exists. */
  public static void delete(Path folder) throws IOException {
    if (Files.notExists(folder)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> walk = Files.walk(folder)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.deleteIfExists(each);
    }
  }
}
