package dev.rota.internal.statistics;

import dev.rota.DatabaseException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows of statistics, each exactly once: after a COMMIT without an answer it queries the
 * outcome before it writes anything again. Used by one thread at a time.
 */
public final class StatisticsWriter {

  private static final Sql READ_THE_CLOCK_FOR_STATISTICS =
      Sql.named("read_the_clock_for_statistics");
  private static final Sql ADD_STATISTICS = Sql.named("add_statistics");
  private static final Sql ADD_STATISTICS_OF_KINDS = Sql.named("add_statistics_of_kinds");
  private static final Sql LOOK_UP_A_TRANSACTION = Sql.named("look_up_a_transaction");

  /**
   * The number of rows in a transaction. Other transactions wait for the same rows, so it is short.
   */
  private static final int ROWS_TOGETHER = 1_000;

  /** The most rows that are kept while they cannot be written. */
  static final int MOST_ROWS = 100_000;

  private final Database database;
  private final RegistryTables tables;

  /** The rows that no transaction may have written. */
  private final Map<HourKey.Key, HourKey> waiting = new LinkedHashMap<>();

  private final List<Portion> inDoubt = new ArrayList<>();
  private long leftOut;

  private enum Fate {
    UNWRITTEN,
    OPEN,
    WRITTEN
  }

  /** Rows of one transaction. */
  private static final class Portion {
    private final List<HourKey> rows;
    private @Nullable String transaction;

    Portion(List<HourKey> rows) {
      this.rows = rows;
    }
  }

  public StatisticsWriter(Database database, RegistryTables tables) {
    this.database = database;
    this.tables = tables;
  }

  /** Reads the database's clock, in microseconds since 1970. */
  long clock() {
    return ask(BoundStatement.query(READ_THE_CLOCK_FOR_STATISTICS, row -> row.getLong(1)));
  }

  /**
   * Accepts rows to write. They add up with rows that wait; those that are too many are left out.
   */
  void add(List<HourKey> rows) {
    int room = MOST_ROWS - inDoubt.stream().mapToInt(portion -> portion.rows.size()).sum();
    for (HourKey row : rows) {
      if (waiting.size() < room || waiting.containsKey(row.key())) {
        keep(row);
      } else {
        leftOut += row.counts().sum();
      }
    }
  }

  private void keep(HourKey row) {
    waiting.merge(row.key(), row, HourKey::plus);
  }

  /**
   * Writes all accepted rows, except those of a transaction that is still in progress.
   *
   * @throws dev.rota.RotaException if that failed; unwritten rows are kept for the next time
   */
  void write() {
    DatabaseException trouble = null;
    for (Portion portion : List.copyOf(inDoubt)) {
      try {
        clear(portion);
      } catch (DatabaseException e) {
        if (e.unavailable()) {
          throw e;
        }
        trouble = e;
      }
    }
    while (!waiting.isEmpty()) {
      write(take());
    }
    if (trouble != null) {
      throw trouble;
    }
  }

  /** The number of attempts in rows that are not written, or not known to be. */
  long unwritten() {
    return Stream.concat(
            waiting.values().stream(), inDoubt.stream().flatMap(portion -> portion.rows.stream()))
        .mapToLong(row -> row.counts().sum())
        .sum();
  }

  /** The number of attempts that were left out. */
  long leftOut() {
    return leftOut;
  }

  private Portion take() {
    List<HourKey> rows = waiting.values().stream().limit(ROWS_TOGETHER).toList();
    rows.forEach(row -> waiting.remove(row.key()));
    return new Portion(rows);
  }

  private void write(Portion portion) {
    try {
      database.run("write hourly statistics", session -> insert(session, portion));
    } catch (RuntimeException | Error e) {
      boolean unknown = e instanceof DatabaseException failure && failure.outcomeUnknown();
      if (unknown && portion.transaction != null) {
        inDoubt.add(portion);
      } else {
        portion.rows.forEach(this::keep);
      }
      throw e;
    }
  }

  /** Clears a doubt as far as the server knows the outcome. */
  private void clear(Portion portion) {
    Fate fate = fate(portion);
    if (fate != Fate.OPEN) {
      inDoubt.remove(portion);
    }
    if (fate == Fate.UNWRITTEN) {
      portion.rows.forEach(this::keep);
    }
  }

  /**
   * Queries the outcome of a transaction. If its connection broke, it may still be in progress. A
   * server that has not reached its number yet was restored to an earlier time.
   */
  private Fate fate(Portion portion) {
    try {
      String fate =
          ask(
              BoundStatement.query(
                  LOOK_UP_A_TRANSACTION,
                  row -> Objects.requireNonNullElse(row.getString(1), "forgotten"),
                  portion.transaction));
      return switch (fate) {
        case "in progress" -> Fate.OPEN;
        case "aborted" -> Fate.UNWRITTEN;
        default -> Fate.WRITTEN;
      };
    } catch (DatabaseException e) {
      if (SqlErrors.isInvalidValue(e)) {
        return Fate.UNWRITTEN;
      }
      throw e;
    }
  }

  private void insert(Session session, Portion portion) throws SQLException {
    List<HourKey> rows = portion.rows;
    List<String> transactions =
        session.run(
            BoundStatement.query(
                ADD_STATISTICS.call(),
                ADD_STATISTICS.on("statistics", tables.statistics(), "tenants", tables.tenants()),
                row -> row.getString(1),
                with(rows.stream().mapToInt(row -> row.key().tenant()).toArray(), columns(rows))));
    portion.transaction = transactions.isEmpty() ? null : transactions.get(0);
    List<HourKey> ofAll = merged(rows.stream().map(HourKey::ofAll).toList());
    session.run(
        BoundStatement.update(
            ADD_STATISTICS_OF_KINDS.call(),
            ADD_STATISTICS_OF_KINDS.on("kind_statistics", tables.kindStatistics()),
            columns(ofAll)));
  }

  private static Object[] with(int[] first, Object[] others) {
    return Stream.concat(Stream.of(first), Stream.of(others)).toArray();
  }

  /** The columns behind the tenant. */
  private static Object[] columns(List<HourKey> rows) {
    return new Object[] {
      rows.stream().mapToInt(row -> row.key().hour()).toArray(),
      rows.stream().map(row -> row.key().kind()).toArray(String[]::new),
      longs(rows, row -> row.counts().done()),
      longs(rows, row -> row.counts().failed()),
      longs(rows, row -> row.counts().dead()),
      longs(rows, row -> row.counts().cancelled()),
      longs(rows, row -> row.running().micros()),
      longs(rows, row -> row.waiting().count()),
      longs(rows, row -> row.waiting().micros()),
      rows.stream().map(row -> row.running().buckets().text()).toArray(String[]::new),
      rows.stream().map(row -> row.waiting().buckets().text()).toArray(String[]::new)
    };
  }

  /** Adds up the rows of each key. */
  private static List<HourKey> merged(List<HourKey> rows) {
    Map<HourKey.Key, HourKey> merged = new LinkedHashMap<>();
    rows.forEach(row -> merged.merge(row.key(), row, HourKey::plus));
    return new ArrayList<>(merged.values());
  }

  private static long[] longs(List<HourKey> rows, ToLongFunction<HourKey> column) {
    return rows.stream().mapToLong(column).toArray();
  }

  private <T> T ask(BoundStatement<List<T>> question) {
    return database.transaction(question.name(), session -> session.run(question)).get(0);
  }
}
