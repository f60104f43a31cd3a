package dev.rota.daemon.internal.retention;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.ClockGuard;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.LedgerDdl;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.text.SafeText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * Rolls the ledger over: opens a new segment each period, and drops expired ones that hold no open
 * batch. It keeps the rows of tenants under legal hold. Used by one thread.
 */
public final class LedgerRoller implements MaintenanceTask {

  private static final Sql LIST_LEDGER_SEGMENTS = Sql.named("list_ledger_segments");
  private static final Sql SIZE_OF_LEDGER_SEGMENT = Sql.named("size_of_ledger_segment");
  private static final Sql OPEN_LEDGER_SEGMENT = Sql.named("open_ledger_segment");
  private static final Sql SEAL_LEDGER_SEGMENT = Sql.named("seal_ledger_segment");
  private static final Sql LOOK_FOR_OPEN_BATCHES_IN_LEDGER =
      Sql.named("look_for_open_batches_in_ledger");
  private static final Sql LOOK_FOR_BATCHES_TO_ARCHIVE = Sql.named("look_for_batches_to_archive");
  private static final Sql TAKE_HELD_BATCHES_ALONG = Sql.named("take_held_batches_along");
  private static final Sql LOCK_LEDGER_SEGMENT = Sql.named("lock_ledger_segment");
  private static final Sql DROP_LEDGER_SEGMENT = Sql.named("drop_ledger_segment");
  private static final Sql FORGET_LEDGER_SEGMENT = Sql.named("forget_ledger_segment");

  private static final Logger log = Logs.of(LedgerRoller.class);

  private final LeaderSession leader;
  private final RegistryTables rota;
  private final Duration period;
  private final Duration keep;
  private final DaemonCounters counters;
  private final ClockGuard clock;
  private final LedgerDdl ddl;
  private final boolean archives;
  private boolean warned;
  private int examined;
  private final FailureTracker<Integer> failures =
      new FailureTracker<>("drop segment of the ledger");

  private record Segment(int seq, long periods, boolean mayGo) {}

  private record Look(List<Segment> segments, boolean trustsTheClock) {}

  public LedgerRoller(
      LeaderSession leader,
      RegistryTables rota,
      DaemonConfig settings,
      DaemonCounters counters,
      ClockGuard clock) {
    this.leader = leader;
    this.rota = rota;
    this.keep = settings.retention().ledger();
    this.period = settings.ledgerPeriod();
    this.counters = counters;
    this.clock = clock;
    this.archives = settings.archive().isPresent();
    this.ddl = new LedgerDdl(rota);
  }

  @Override
  public String name() {
    return "turn the ledger over";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    try {
      Look look = leader.transaction(name(), this::look);
      turnOverWhenDue(look.segments());
      if (look.trustsTheClock()) {
        dropNext(look.segments());
      }
    } catch (SQLException e) {
      // Another session reads the view over the ledger; it is tried again soon.
      if (!SqlErrors.isLockConflict(e)) {
        throw e;
      }
      log.debug("the ledger is in use", e);
    }
    return Backoff.betweenLooks(interval(), startedAt);
  }

  private Duration interval() {
    Duration shorter = period.compareTo(keep) < 0 ? period : keep;
    return Backoff.part(shorter, 10, Duration.ofMillis(250), Duration.ofSeconds(10));
  }

  private Look look(Session session) throws SQLException {
    return new Look(segments(session), clock.trusts(session, keep));
  }

  private List<Segment> segments(Session session) throws SQLException {
    return session.run(
        BoundStatement.query(
            LIST_LEDGER_SEGMENTS.call(),
            LIST_LEDGER_SEGMENTS.on("segments", rota.ledgerSegments()),
            row -> new Segment(row.getInt(1), row.getLong(2), row.getBoolean(3)),
            period.toMillis(),
            keep.toMillis()));
  }

  /** Turns the ledger over in each period, also after one that a clock that was ahead began. */
  private void turnOverWhenDue(List<Segment> segments) throws SQLException {
    Segment newest = segments.get(segments.size() - 1);
    if (newest.periods() == 0 || leader.transaction(name(), s -> size(s, newest.seq())) == 0) {
      return;
    }
    leader.transaction(name(), session -> turnOver(session, newest.seq()));
    counters.ledgersOpened.incrementAndGet();
  }

  private boolean turnOver(Session session, int sealed) throws SQLException {
    int opened = sealed + 1;
    session.run(RoleSql.actAsKeeper(rota));
    session.execute("create ledger segment", ddl.createSegment(opened));
    update(session, OPEN_LEDGER_SEGMENT, opened);
    update(session, SEAL_LEDGER_SEGMENT, sealed);
    renewView(session, opened + 1);
    return true;
  }

  /**
   * Examines one segment in each step, and drops it if it is not needed: to find that out may mean
   * to read it whole. One that is in use, locked or failing does not delay the next.
   */
  private void dropNext(List<Segment> segments) {
    AtomicBoolean done = new AtomicBoolean();
    for (int seq : inTurn(segments)) {
      if (!done.get()) {
        failures.attempt(seq, "number " + seq, () -> examine(seq, segments.size(), done));
      }
    }
  }

  /** Segments that may go: those after the last one examined first, or the oldest if too many. */
  private List<Integer> inTurn(List<Segment> segments) {
    List<Integer> old =
        segments.stream()
            .filter(segment -> segment.mayGo() && failures.mayTry(segment.seq()))
            .map(Segment::seq)
            .collect(Collectors.toCollection(ArrayList::new));
    if (segments.size() <= DaemonConfig.LEDGER_SEGMENTS_FOR_ARCHIVE) {
      long before = old.stream().filter(seq -> seq <= examined).count();
      Collections.rotate(old, -(int) before);
    }
    return old;
  }

  private void examine(int seq, int kept, AtomicBoolean done) throws SQLException {
    if (isInUse(seq)) {
      return;
    }
    examined = seq;
    done.set(true);
    if (!isNeeded(seq, kept)) {
      drop(seq);
    }
  }

  private boolean isInUse(int seq) throws SQLException {
    return leader.transaction(name(), session -> isInUse(session, seq));
  }

  /**
   * Whether the archive still needs the segment. The archive keeps the times of a batch, if it
   * reads them in time.
   */
  private boolean isNeeded(int seq, int kept) throws SQLException {
    List<String> needing = leader.lengthyTransaction(name(), session -> needing(session, seq));
    if (needing.isEmpty() || kept <= DaemonConfig.LEDGER_SEGMENTS_FOR_ARCHIVE) {
      return !needing.isEmpty();
    }
    if (!warned) {
      warned = true;
      log.warn(
          "the archive is so far behind that times of claims and ends will be missing in it, as"
              + " those of {}: the ledger has {} segments, and drops number {}; see the trouble"
              + " column of {}, or give the archive more time by a longer keepLedger",
          needing.get(0),
          kept,
          seq,
          rota.archive());
    }
    return false;
  }

  /** A segment of history whose times are only here, as its name in messages; none if none is. */
  private List<String> needing(Session session, int seq) throws SQLException {
    String sql =
        LOOK_FOR_BATCHES_TO_ARCHIVE.on(
            Map.of(
                "ledger", rota.ledger(seq),
                "segments", rota.segments(),
                "tenants", rota.tenants(),
                "archive", rota.archive()));
    return session.run(
        BoundStatement.query(
            LOOK_FOR_BATCHES_TO_ARCHIVE.call(), sql, LedgerRoller::segment, archives, archives));
  }

  private static String segment(ResultSet row) throws SQLException {
    String tenant = "tenant '" + SafeText.of(row.getString(2)) + "' (" + row.getInt(1) + ")";
    return "segment " + row.getInt(3) + " of " + tenant;
  }

  private void drop(int seq) throws SQLException {
    if (leader.lengthyTransaction("drop a segment of the ledger", session -> drop(session, seq))) {
      counters.ledgersDropped.incrementAndGet();
    }
  }

  /**
   * Drops a segment. A claim that has not noticed the seal has either committed before the lock,
   * and its batch is visible. Or it fails on the dropped table and goes to the newest segment.
   */
  private boolean drop(Session session, int seq) throws SQLException {
    session.run(on(LOCK_LEDGER_SEGMENT, seq));
    if (isInUse(session, seq)) {
      return false;
    }
    takeAlong(session, seq);
    renewView(session, seq);
    session.run(on(DROP_LEDGER_SEGMENT, seq));
    update(session, FORGET_LEDGER_SEGMENT, seq, seq);
    return true;
  }

  private void takeAlong(Session session, int seq) throws SQLException {
    List<Segment> segments = segments(session);
    int newest = segments.get(segments.size() - 1).seq();
    String sql =
        TAKE_HELD_BATCHES_ALONG.on(
            Map.of(
                "newest", rota.ledger(newest),
                "ledger", rota.ledger(seq),
                "segments", rota.segments(),
                "tenants", rota.tenants()));
    int unused = session.run(BoundStatement.update(TAKE_HELD_BATCHES_ALONG.call(), sql));
  }

  private boolean isInUse(Session session, int seq) throws SQLException {
    return !session
        .run(
            BoundStatement.query(
                LOOK_FOR_OPEN_BATCHES_IN_LEDGER.call(),
                LOOK_FOR_OPEN_BATCHES_IN_LEDGER.on("ledger", rota.ledger(seq)),
                row -> row.getLong(1)))
        .isEmpty();
  }

  /** Renews the view. It is replaced, never dropped: the views of all tenants depend on it. */
  private void renewView(Session session, int without) throws SQLException {
    List<Integer> kept =
        segments(session).stream().map(Segment::seq).filter(seq -> seq != without).toList();
    session.execute("renew ledger view", List.of(ddl.view(kept)));
  }

  private long size(Session session, int seq) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                SIZE_OF_LEDGER_SEGMENT, row -> row.getLong(1), Sql.render(rota.ledger(seq))))
        .get(0);
  }

  private void update(Session session, Sql statement, Object... binds) throws SQLException {
    session.run(
        BoundStatement.update(
            statement.call(), statement.on("segments", rota.ledgerSegments()), binds));
  }

  private BoundStatement<Integer> on(Sql statement, int seq) {
    return BoundStatement.update(statement.call(), statement.on("ledger", rota.ledger(seq)));
  }
}
