package dev.rota.partition.internal;

import dev.rota.internal.Engine;
import dev.rota.internal.TenantHandle;
import dev.rota.internal.TenantState;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TenantDdl;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Seals segments of history that are worth it and opens the next ones, one a step. Used by one
 * thread.
 */
final class SegmentKeeper implements Duty, Consumer<List<Standing>> {

  /** A segment of this size is sealed without waiting for the period to end. */
  private static final long LARGE = 1L << 30;

  private final Mandate mandate;
  private final Engine engine;
  private final DaemonSettings settings;
  private final Tally tally;
  private final TenantDdl ddl;
  private final SegmentRegister register;
  private final Troubles<Integer> troubles = new Troubles<>("open a segment for");
  private Deque<Standing> due = new ArrayDeque<>();

  SegmentKeeper(Mandate mandate, Engine engine, DaemonSettings settings, Tally tally) {
    this.mandate = mandate;
    this.engine = engine;
    this.settings = settings;
    this.tally = tally;
    this.ddl = new TenantDdl(engine.tables());
    this.register = new SegmentRegister(engine.tables());
  }

  @Override
  public String name() {
    return "open segments of history";
  }

  /** Takes a new survey. */
  @Override
  public void accept(List<Standing> standings) {
    due =
        standings.stream()
            .filter(standing -> isDue(standing.segment()))
            .collect(Collectors.toCollection(ArrayDeque::new));
    Set<Integer> numbers = due.stream().map(Standing::number).collect(Collectors.toSet());
    troubles.retain(numbers);
  }

  @Override
  public long perform() throws SQLException {
    Standing next = takeNext();
    if (next == null) {
      return settings.tick().toNanos();
    }
    long startedAt = System.nanoTime();
    troubles.attempt(next.number(), next.label(), () -> open(next.entry().tenant()));
    return Pauses.afterWork(startedAt);
  }

  private boolean isDue(Standing.Segment segment) {
    if (segment.bytes() == 0) {
      return false;
    }
    boolean worthIt = segment.bytes() >= settings.segmentBytes() || segment.aged();
    return segment.bytes() >= LARGE || (segment.periodOver() && worthIt);
  }

  private @Nullable Standing takeNext() {
    for (Iterator<Standing> each = due.iterator(); each.hasNext(); ) {
      Standing standing = each.next();
      if (troubles.mayTry(standing.number())) {
        each.remove();
        return standing;
      }
    }
    return null;
  }

  private void open(TenantHandle tenant) throws SQLException {
    int opened =
        mandate.transaction(
            "open a segment for " + tenant.label(), session -> open(session, tenant));
    TenantState state = tenant.state();
    engine
        .registry()
        .learn(
            new TenantState(
                state.number(), state.name(), state.closed(), state.currentSlot(), opened));
    tally.segmentsOpened.incrementAndGet();
  }

  private int open(Session session, TenantHandle tenant) throws SQLException {
    int sealed = register.lockCurrent(session, tenant.number());
    int opened = sealed + 1;
    session.execute("create segment", List.of(ddl.createSegment(tenant.tables(), opened)));
    register.succeed(session, tenant.number(), sealed, opened);
    List<Integer> kept = register.kept(session, tenant.number());
    session.execute("renew history view", List.of(ddl.historyView(tenant.tables(), kept)));
    return opened;
  }
}
