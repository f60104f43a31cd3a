package dev.rota.partition.internal;

import dev.rota.internal.TenantHandle;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Drops segments of history that are kept long enough and shall not be archived, one after the
 * other, and only when every batch in them is closed. Large ones are counted in steps before, so
 * that other duties have their turns: nothing hangs on the number, and a row that a redrive moves
 * meanwhile may be counted twice. Used by one thread.
 */
final class HistoryRetirer implements Duty {

  private static final Sql FIND_RETIRABLE_SEGMENTS = Sql.named("find_retirable_segments");

  private static final String COUNTING = "count a segment of ";

  private final Mandate mandate;
  private final RotaTables rota;
  private final TenantBook book;
  private final Duration keep;
  private final double workShare;
  private final Tally tally;
  private final boolean archives;
  private final SegmentDrop drop;
  private final Troubles<Integer> troubles = new Troubles<>("drop a segment of");
  private final Deque<Segment> due = new ArrayDeque<>();
  private @Nullable SegmentSums count;

  private record Segment(int tenant, int seq) {}

  HistoryRetirer(
      Mandate mandate, RotaTables rota, TenantBook book, DaemonSettings settings, Tally tally) {
    this.mandate = mandate;
    this.rota = rota;
    this.book = book;
    this.keep = settings.keepHistory();
    this.workShare = settings.workShare();
    this.tally = tally;
    this.archives = settings.archive().isPresent();
    this.drop = new SegmentDrop(rota);
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
    Segment next = due.getFirst();
    TenantBook.Entry entry = book.find(next.tenant());
    if (entry == null || !advance(entry.tenant(), next.seq())) {
      due.removeFirst();
      count = null;
    }
    return Pauses.afterWork(startedAt, workShare);
  }

  /** One step: counts, or drops once there is little left to count. Whether another one follows. */
  private boolean advance(TenantHandle tenant, int seq) {
    SegmentSums present = count == null ? new SegmentSums(tenant.tables().segment(seq)) : count;
    count = present;
    AtomicBoolean counting = new AtomicBoolean();
    troubles.attempt(
        tenant.number(),
        tenant.label(),
        () -> {
          counting.set(mandate.lengthyTransaction(COUNTING + tenant.label(), present::advance));
          if (!counting.get()) {
            retire(tenant, seq, present);
          }
        });
    return counting.get();
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
                    FIND_RETIRABLE_SEGMENTS.call(),
                    FIND_RETIRABLE_SEGMENTS.on(
                        Map.of(
                            "segments", rota.segments(),
                            "tenants", rota.tenants(),
                            "ledger", rota.ledgerView())),
                    row -> new Segment(row.getInt(1), row.getInt(2)),
                    avoided,
                    archives,
                    keep.toMillis())));
  }

  private void retire(TenantHandle tenant, int seq, SegmentSums counted) throws SQLException {
    boolean dropped =
        mandate.lengthyTransaction(
            "drop a segment of " + tenant.label(),
            session ->
                drop.run(
                    session,
                    tenant.tables(),
                    seq,
                    look -> OptionalLong.of(counted.finish(look).rows())));
    if (dropped) {
      tally.segmentsDropped.incrementAndGet();
    }
  }
}
