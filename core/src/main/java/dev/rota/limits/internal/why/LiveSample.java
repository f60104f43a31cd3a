package dev.rota.limits.internal.why;

import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.internal.why.OpenRunTime.OpenBatch;
import dev.rota.limits.internal.why.OpenRunTime.Pace;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jooq.Name;

/**
 * Measures which tenants use how many handlers, by two looks at the ledger. The run time of a batch
 * stands in its row once it is closed; that of open batches is estimated. Thread-safe.
 */
final class LiveSample {

  private static final Sql MARK_LEDGER = Sql.named("mark_ledger");
  private static final Sql LIST_OPEN_BATCHES = Sql.named("list_open_batches");
  private static final Sql LIST_NEWER_SEGMENTS = Sql.named("list_newer_ledger_segments");
  private static final Sql SUM_RUN_TIME = Sql.named("sum_run_time");
  private static final Sql LIST_OPEN_WORK = Sql.named("list_open_work");
  private static final Sql READ_PRESENT_TIME = Sql.named("read_present_time");

  /** New batches may stand in pages that were begun before, one or a few for each connection. */
  private static final long PAGES_BEFORE = 256;

  private final Database database;
  private final RegistryTables tables;

  LiveSample(Database database, RegistryTables tables) {
    this.database = database;
    this.tables = tables;
  }

  /**
   * A first look.
   *
   * @param segment the newest segment of the ledger
   * @param blocks its size
   * @param at the time, in microseconds since 1970
   * @param open the open batches, by the segments that have them
   */
  record Mark(int segment, long blocks, long at, Map<Integer, List<Long>> open) {

    /** The block of a segment behind which batches may be new. No claim writes into older ones. */
    private long firstBlock(int seq) {
      if (seq < segment) {
        return Integer.MAX_VALUE;
      }
      return seq == segment ? Math.max(0, blocks - PAGES_BEFORE) : 0;
    }
  }

  /**
   * What was measured.
   *
   * @param at when, in microseconds since 1970
   * @param window the time between both looks, in microseconds
   * @param tenants the tenants that use handlers or have tasks, by their numbers
   */
  record Measured(long at, long window, Map<Integer, Use> tenants) {}

  /** The batches of a tenant that one worker has claimed. */
  private record Flow(int tenant, long worker) {}

  /** What one tenant has. */
  static final class Use {
    private double micros;
    private long running;
    private long pending;
    private final List<Name> slots = new ArrayList<>();

    /** The run time within the window, in microseconds. */
    double micros() {
      return micros;
    }

    /** The tasks in open batches. */
    long running() {
      return running;
    }

    /** The tasks in rings, as the server estimates. */
    long pending() {
      return pending;
    }

    /** The slots that seem to have tasks. */
    List<Name> slots() {
      return slots;
    }
  }

  /** Notes where the ledger ends now, and what is open. */
  Mark mark() {
    return database.transaction("mark the ledger", this::mark);
  }

  private Mark mark(Session session) throws SQLException {
    Map<Integer, List<Long>> open = new TreeMap<>();
    session.run(
        BoundStatement.query(
            LIST_OPEN_BATCHES.call(),
            LIST_OPEN_BATCHES.on("ledger", tables.ledgerView()),
            row ->
                open.computeIfAbsent(row.getInt(1), unused -> new ArrayList<>())
                    .add(row.getLong(2))));
    return session
        .run(
            BoundStatement.query(
                MARK_LEDGER.call(),
                MARK_LEDGER.on("ledger_segments", tables.ledgerSegments()),
                row -> new Mark(row.getInt(1), row.getLong(2), row.getLong(3), open),
                tables.schema()))
        .stream()
        .findFirst()
        // Nothing was ever claimed.
        .orElse(new Mark(0, 0, now(session), open));
  }

  private static long now(Session session) throws SQLException {
    return session.run(BoundStatement.query(READ_PRESENT_TIME, row -> row.getLong(1))).get(0);
  }

  /** Lets the time of a window pass. */
  static void pass(Duration window) {
    try {
      TimeUnit.NANOSECONDS.sleep(window.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RotaException("the thread was interrupted while it measured shares; try again", e);
    }
  }

  /** Measures since a mark. */
  Measured since(Session session, Mark mark) throws SQLException {
    Map<Integer, Use> tenants = new HashMap<>();
    Map<Flow, Pace> paces = addClosed(session, mark, tenants);
    long at = now(session);
    for (Map.Entry<Flow, List<OpenBatch>> flow : open(session).entrySet()) {
      List<OpenBatch> batches = flow.getValue();
      Use use = use(tenants, flow.getKey().tenant);
      use.running += batches.stream().mapToLong(OpenBatch::tasks).sum();
      use.micros += new OpenRunTime(paces.get(flow.getKey()), mark.at, at).of(batches);
    }
    addBacklogs(session, tenants);
    return new Measured(at, Math.max(1, at - mark.at), tenants);
  }

  private Map<Flow, List<OpenBatch>> open(Session session) throws SQLException {
    Map<Flow, List<OpenBatch>> open = new HashMap<>();
    session.run(
        BoundStatement.query(
            LIST_OPEN_WORK.call(),
            LIST_OPEN_WORK.on("ledger", tables.ledgerView(), "statistics", tables.statistics()),
            row ->
                open.computeIfAbsent(
                        new Flow(row.getInt(1), row.getLong(2)), unused -> new ArrayList<>())
                    .add(new OpenBatch(row.getInt(3), row.getLong(4), row.getDouble(5)))));
    return open;
  }

  private static Use use(Map<Integer, Use> tenants, int tenant) {
    return tenants.computeIfAbsent(tenant, unused -> new Use());
  }

  /** Adds the run time of batches that ended, and returns how fast their workers are. */
  private Map<Flow, Pace> addClosed(Session session, Mark mark, Map<Integer, Use> tenants)
      throws SQLException {
    Map<Flow, Pace> paces = new HashMap<>();
    Map<Integer, Long> firstBlocks = new TreeMap<>();
    session.run(
        BoundStatement.query(
            LIST_NEWER_SEGMENTS.call(),
            LIST_NEWER_SEGMENTS.on("ledger_segments", tables.ledgerSegments()),
            row -> firstBlocks.put(row.getInt(1), mark.firstBlock(row.getInt(1))) == null,
            mark.segment,
            mark.open.keySet().stream().mapToInt(Integer::intValue).toArray()));
    for (Map.Entry<Integer, Long> segment : firstBlocks.entrySet()) {
      List<Long> open = mark.open.getOrDefault(segment.getKey(), List.of());
      session.run(
          BoundStatement.query(
              SUM_RUN_TIME.call(),
              SUM_RUN_TIME.on("ledger", tables.ledger(segment.getKey())),
              row -> {
                use(tenants, row.getInt(1)).micros += row.getDouble(3);
                return paces.merge(
                    new Flow(row.getInt(1), row.getLong(2)),
                    new Pace(row.getDouble(4), row.getLong(5), row.getLong(6)),
                    (one, next) -> one.closed() > next.closed() ? one : next);
              },
              mark.at,
              RowId.startOf(segment.getValue()),
              open.stream().mapToLong(Long::longValue).toArray()));
    }
    return paces;
  }

  private void addBacklogs(Session session, Map<Integer, Use> tenants) throws SQLException {
    for (RingBacklog backlog : RingBacklog.read(session, tables)) {
      Use use = use(tenants, backlog.tenant());
      use.pending = backlog.pending();
      use.slots.addAll(backlog.slots());
    }
  }
}
