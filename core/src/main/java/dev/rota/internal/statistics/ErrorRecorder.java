package dev.rota.internal.statistics;

import dev.rota.DatabaseException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.text.ErrorFingerprint;
import dev.rota.internal.text.ErrorText;
import dev.rota.internal.worker.WorkerCounters.SettleListener;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Counts the failed attempts of a worker by tenant, kind and error, and writes the counts every few
 * seconds. A write that fails is tried again with the next one; one whose COMMIT had no answer is
 * not, so that nothing counts twice. Thread-safe.
 */
public final class ErrorRecorder implements SettleListener {

  private static final Sql ADD_ERRORS_OF_TENANTS = Sql.named("add_errors_of_tenants");
  private static final Sql ADD_ERRORS = Sql.named("add_errors");

  private static final Logger log = Logs.of(ErrorRecorder.class);
  private static final long PAUSE_SECONDS = 5;

  /** The most errors of one kind that are distinguished in one interval. */
  private static final int MOST_ERRORS = 100;

  /** The most counts of one interval; later failures are not counted. */
  private static final int MOST_COUNTS = 20_000;

  private static final ErrorFingerprint OTHER = ErrorFingerprint.of("other errors");

  private final Database database;
  private final RegistryTables tables;
  private final StatisticsWriter clock;
  private final ScheduledExecutorService background;
  private final boolean retries;
  private final Object writing = new Object();
  private Map<Key, Count> counts = new HashMap<>();
  private Map<String, Map<Long, ErrorFingerprint>> known = new HashMap<>();
  private boolean troubled;
  private @Nullable Future<?> timer;

  private record Key(int tenant, String kind, long fingerprint) {}

  /** Failures of one key; the last one at a time of this process's clock. */
  private record Count(String error, long failed, long dead, long task, long nanos) {

    Count plus(Count later) {
      return new Count(error, failed + later.failed, dead + later.dead, later.task, later.nanos);
    }
  }

  /** A row to write, with the time of the last failure by the clock of the database. */
  private record Row(Key key, Count count, long micros) {

    int hour() {
      return (int) (micros / TimeUnit.HOURS.toMicros(1));
    }
  }

  /**
   * Creates the recorder of one worker.
   *
   * @param clock reads the clock of the database
   * @param retries whether a failed attempt is followed by another one
   */
  public ErrorRecorder(
      Database database,
      RegistryTables tables,
      StatisticsWriter clock,
      ScheduledExecutorService background,
      boolean retries) {
    this.database = database;
    this.tables = tables;
    this.clock = clock;
    this.background = background;
    this.retries = retries;
  }

  @Override
  public void start() {
    timer =
        background.scheduleWithFixedDelay(
            this::writeQuietly, PAUSE_SECONDS, PAUSE_SECONDS, TimeUnit.SECONDS);
  }

  /** Writes the remaining counts; those that cannot be written are lost. */
  @Override
  public void close() {
    if (timer != null) {
      timer.cancel(false);
    }
    writeQuietly();
  }

  @Override
  public void settled(Collection<Ended> attempts, UnaryOperator<Outcome> written) {
    for (Ended ended : attempts) {
      Outcome outcome = written.apply(ended.outcome());
      String error = outcome.error();
      if (error != null && isFailure(outcome.state())) {
        boolean dead = outcome.state() == AttemptStateCode.DEAD || !retries;
        count(
            outcome.task().tenantNumber(), outcome.task().kind(), outcome.task().id(), error, dead);
      }
    }
  }

  private static boolean isFailure(AttemptStateCode state) {
    return state == AttemptStateCode.FAILED || state == AttemptStateCode.DEAD;
  }

  void count(int tenant, String kind, long task, String error, boolean dead) {
    ErrorFingerprint found = ErrorFingerprint.of(ErrorText.said(error));
    long now = System.nanoTime();
    synchronized (this) {
      ErrorFingerprint told = told(kind, found);
      Key key = new Key(tenant, kind, told.hash());
      if (counts.size() < MOST_COUNTS || counts.containsKey(key)) {
        Count one = new Count(told.text(), dead ? 0 : 1, dead ? 1 : 0, task, now);
        counts.merge(key, one, Count::plus);
      }
    }
  }

  /** The error itself, or the group of all others where too many are distinguished. */
  private ErrorFingerprint told(String kind, ErrorFingerprint found) {
    Map<Long, ErrorFingerprint> ofKind = known.computeIfAbsent(kind, unused -> new HashMap<>());
    if (ofKind.size() < MOST_ERRORS) {
      ofKind.put(found.hash(), found);
    }
    return ofKind.getOrDefault(found.hash(), OTHER);
  }

  private void writeQuietly() {
    synchronized (writing) {
      try {
        write();
        troubled = false;
      } catch (RuntimeException | Error e) {
        if (!troubled) {
          log.warn("Rota could not write its counts of errors: {}", e.getMessage());
        }
        troubled = true;
      }
    }
  }

  void write() {
    Map<Key, Count> taken = take();
    if (taken.isEmpty()) {
      return;
    }
    try {
      write(taken);
    } catch (RuntimeException | Error e) {
      boolean unknown = e instanceof DatabaseException failure && failure.outcomeUnknown();
      if (!unknown) {
        putBack(taken);
      }
      throw e;
    }
  }

  private synchronized Map<Key, Count> take() {
    Map<Key, Count> taken = counts;
    counts = new HashMap<>();
    known = new HashMap<>();
    return taken;
  }

  private synchronized void putBack(Map<Key, Count> taken) {
    taken.forEach(
        (key, count) -> {
          if (counts.size() < MOST_COUNTS || counts.containsKey(key)) {
            counts.merge(key, count, (later, earlier) -> earlier.plus(later));
          }
        });
  }

  private void write(Map<Key, Count> taken) {
    long epochMicros = clock.clock() - System.nanoTime() / 1_000;
    List<Row> rows = new ArrayList<>();
    taken.forEach((key, count) -> rows.add(new Row(key, count, epochMicros + count.nanos / 1_000)));
    database.run("write counts of errors", session -> write(session, rows));
  }

  private void write(Session session, List<Row> rows) throws SQLException {
    session.run(
        BoundStatement.update(
            ADD_ERRORS_OF_TENANTS.call(),
            ADD_ERRORS_OF_TENANTS.on(
                "tenant_errors", tables.tenantErrors(), "tenants", tables.tenants()),
            columns(rows)));
    List<Row> ofAll = ofAll(rows);
    session.run(
        BoundStatement.update(
            ADD_ERRORS.call(),
            ADD_ERRORS.on("errors", tables.errors(), "tenants", tables.tenants()),
            with(columns(ofAll), texts(ofAll, row -> row.count.error))));
  }

  /** Adds up the rows of all tenants; the last failure gives tenant, task and time. */
  private static List<Row> ofAll(List<Row> rows) {
    record OfAll(int hour, String kind, long fingerprint) {}
    Map<OfAll, Row> sums = new HashMap<>();
    for (Row row : rows) {
      sums.merge(
          new OfAll(row.hour(), row.key.kind, row.key.fingerprint),
          row,
          (one, other) -> {
            boolean isLast = one.micros >= other.micros;
            Row last = isLast ? one : other;
            Row first = isLast ? other : one;
            return new Row(last.key, first.count.plus(last.count), last.micros);
          });
    }
    return new ArrayList<>(sums.values());
  }

  private static Object[] columns(List<Row> rows) {
    return new Object[] {
      rows.stream().mapToInt(row -> row.key.tenant).toArray(),
      rows.stream().mapToInt(Row::hour).toArray(),
      texts(rows, row -> row.key.kind),
      longs(rows, row -> row.key.fingerprint),
      longs(rows, row -> row.count.failed),
      longs(rows, row -> row.count.dead),
      longs(rows, row -> row.count.task),
      longs(rows, Row::micros)
    };
  }

  private static Object[] with(Object[] columns, String[] last) {
    Object[] all = Arrays.copyOf(columns, columns.length + 1);
    all[columns.length] = last;
    return all;
  }

  private static String[] texts(List<Row> rows, Function<Row, String> column) {
    return rows.stream().map(column).toArray(String[]::new);
  }

  private static long[] longs(List<Row> rows, ToLongFunction<Row> column) {
    return rows.stream().mapToLong(column).toArray();
  }
}
