package dev.rota.partition.internal;

import dev.rota.internal.Engine;
import dev.rota.internal.TenantHandle;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlTemplate;
import dev.rota.internal.db.TenantDdl;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jooq.Name;

/**
 * Drops segments of history that are kept long enough, one a step, and only when every batch in
 * them is closed. Used by one thread.
 */
final class HistoryRetirer implements Duty {

  private final Mandate mandate;
  private final RotaTables rota;
  private final TenantBook book;
  private final Duration keep;
  private final Tally tally;
  private final TenantDdl ddl;
  private final SegmentRegister register;
  private final Troubles<Integer> troubles = new Troubles<>("drop a segment of");
  private final Deque<Segment> due = new ArrayDeque<>();

  private record Segment(int tenant, int seq) {}

  HistoryRetirer(
      Mandate mandate, Engine engine, TenantBook book, DaemonSettings settings, Tally tally) {
    this.mandate = mandate;
    this.rota = engine.tables();
    this.book = book;
    this.keep = settings.keepHistory();
    this.tally = tally;
    this.ddl = new TenantDdl(rota);
    this.register = new SegmentRegister(rota);
  }

  @Override
  public String name() {
    return "drop old segments of history";
  }

  @Override
  public long perform() throws SQLException {
    long startedAt = System.nanoTime();
    if (due.isEmpty()) {
      due.addAll(look());
      return due.isEmpty() ? Pauses.betweenLooks(interval(), startedAt) : 0;
    }
    Segment next = due.removeFirst();
    TenantBook.Entry entry = book.find(next.tenant());
    if (entry != null) {
      TenantHandle tenant = entry.tenant();
      troubles.attempt(next.tenant(), tenant.label(), () -> retire(tenant, next.seq()));
    }
    return Pauses.afterWork(startedAt);
  }

  private Duration interval() {
    return Pauses.part(keep, 20, Duration.ofMillis(250), Duration.ofMinutes(1));
  }

  private List<Segment> look() throws SQLException {
    int[] avoided = troubles.avoided().stream().mapToInt(Integer::intValue).toArray();
    return mandate.transaction(
        name(),
        session ->
            session.run(
                Call.query(
                    SegmentSql.RETIRABLE.call(),
                    SegmentSql.RETIRABLE.on(
                        "segments", rota.segments(), "ledger", rota.ledgerView()),
                    row -> new Segment(row.getInt(1), row.getInt(2)),
                    avoided,
                    keep.toMillis())));
  }

  private void retire(TenantHandle tenant, int seq) throws SQLException {
    boolean dropped =
        mandate.lengthyTransaction(
            "drop a segment of " + tenant.label(),
            session -> retire(session, tenant.tables(), seq));
    if (dropped) {
      tally.segmentsDropped.incrementAndGet();
    }
  }

  /**
   * A claim that does not know that the segment is sealed has either committed before the lock, and
   * its batch is seen, or fails on the dropped table and goes to the open segment.
   */
  private boolean retire(Session session, TenantTables tenant, int seq) throws SQLException {
    if (register.lockCurrent(session, tenant.number()) == seq) {
      return false;
    }
    Name segment = tenant.segment(seq);
    session.run(statement(SegmentSql.LOCK, segment));
    if (register.isInUse(session, tenant.number(), seq)) {
      return false;
    }
    long rows = count(session, segment);
    List<Integer> kept = new ArrayList<>(register.kept(session, tenant.number()));
    kept.remove(Integer.valueOf(seq));
    session.execute("renew history view", List.of(ddl.historyView(tenant, kept)));
    session.run(statement(SegmentSql.DROP, segment));
    register.dropped(session, tenant.number(), seq, rows);
    return true;
  }

  private static long count(Session session, Name segment) throws SQLException {
    return session
        .run(
            Call.query(
                SegmentSql.COUNT.call(),
                SegmentSql.COUNT.on("segment", segment),
                row -> row.getLong(1)))
        .get(0);
  }

  private static Call<Integer> statement(SqlTemplate template, Name segment) {
    return Call.update(template.call(), template.on("segment", segment));
  }
}
