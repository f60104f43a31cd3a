package dev.rota.internal.claim;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.settle.LeftKinds;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs, once for each tenant and kind, that tasks stay pending because this worker has no handler
 * for their kind. It looks at once after a visit that took no task. After a visit that took other
 * tasks it looks in the background: a query at each visit would cost busy tenants too much.
 * Thread-safe.
 */
final class UnknownKindWarning {

  private static final Sql LOOK_FOR_UNKNOWN_KINDS = Sql.named("look_for_unknown_kinds");

  private static final Logger log = Logs.of(UnknownKindWarning.class);

  /** The most warnings: after them, a producer of more unknown kinds is not logged. */
  private static final int MOST_TOLD = 1_000;

  private static final int MOST_FOUND = 10;
  private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final Duration PATIENCE = Duration.ofMillis(100);

  /** The pause between two background queries, each of which looks at a few tenants. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int TENANTS_TOGETHER = 16;

  /** Background queries may take one part in this many of the time. */
  private static final int COST_SHARE = 50;

  private final Database database;
  private final ScheduledExecutorService timer;
  private final InvalidRows invalidRows;
  private final boolean looking;
  private final Set<String> known;
  private final LeftKinds left;
  private final AtomicInteger toldInAll = new AtomicInteger();
  private final Map<Integer, Long> sweptAt = new ConcurrentHashMap<>();
  private final Map<Integer, TenantRef> visited = new ConcurrentHashMap<>();
  private final AtomicBoolean appointed = new AtomicBoolean();
  private volatile boolean stopped;

  /**
   * Creates the warning.
   *
   * @param known the kinds of which it does not warn; null to warn of none
   * @param left is told of the others
   */
  UnknownKindWarning(
      Database database,
      ScheduledExecutorService timer,
      InvalidRows invalidRows,
      @Nullable Set<String> known,
      LeftKinds left) {
    this.database = database;
    this.timer = timer;
    this.invalidRows = invalidRows;
    this.looking = known != null;
    this.known = known == null ? Set.of() : known;
    this.left = left;
  }

  /** Stops the background queries: the worker is closing, and others may know other kinds. */
  void stop() {
    stopped = true;
  }

  void lookIn(Session session, List<TenantClaim> visits) throws SQLException {
    if (!looking || toldInAll.get() >= MOST_TOLD) {
      return;
    }
    for (TenantClaim visit : visits) {
      if (visit.wasInVain()) {
        look(session, visit);
      } else if (visit.tookAny() || visit.leftOutKinds()) {
        visited.put(visit.tenant().number(), visit.tenant());
        appoint(PAUSE_NANOS);
      }
    }
  }

  private void look(Session session, TenantClaim visit) throws SQLException {
    TenantRef tenant = visit.tenant();
    List<Integer> slots = visit.slots();
    List<List<Kind>> found = look(session, tenant, slots, expected(tenant));
    for (int i = 0; i < found.size(); i++) {
      for (Kind kind : found.get(i)) {
        tell(session, tenant, slots.get(i), kind);
      }
    }
  }

  /**
   * The known kinds and those already logged. Each statement finds one kind, so those are left out.
   * After a while it finds them again, if their tasks are still there.
   */
  private String[] expected(TenantRef tenant) {
    Set<String> expected = new HashSet<>(known);
    expected.addAll(left.known(tenant.number()));
    return expected.toArray(new String[0]);
  }

  private static List<List<Kind>> look(
      Session session, TenantRef tenant, List<Integer> slots, String[] expected)
      throws SQLException {
    List<BoundStatement<List<Kind>>> calls =
        slots.stream()
            .map(
                slot ->
                    BoundStatement.query(
                        LOOK_FOR_UNKNOWN_KINDS.call(),
                        tenant.statements().onSlot(LOOK_FOR_UNKNOWN_KINDS, slot),
                        row -> new Kind(row.getString(1)),
                        (Object) expected))
            .toList();
    return session.runAll(calls);
  }

  /**
   * Logs a kind. A kind that is malformed fits no handler of any worker; a kind behind it may fit
   * one.
   */
  private void tell(Session session, TenantRef tenant, int slot, Kind kind) throws SQLException {
    boolean wellFormed = kind.isWellFormed();
    if (wellFormed) {
      tell(tenant, String.valueOf(kind.text));
    }
    long now = System.nanoTime();
    Long last = sweptAt.get(tenant.number());
    if (!wellFormed || last == null || now - last > SWEEP_NANOS) {
      sweptAt.put(tenant.number(), now);
      int unused = invalidRows.move(session, tenant, slot);
    }
  }

  private record Kind(@Nullable String text) {
    boolean isWellFormed() {
      return text != null && TaskValidator.isKind(text);
    }
  }

  private void tell(TenantRef tenant, String kind) {
    if (left.meet(tenant.number(), kind) && toldInAll.incrementAndGet() <= MOST_TOLD) {
      log.warn(
          "tasks of kind '{}' of {} stay pending: no handler of this worker knows them. Give it one,"
              + " or run another worker that has one",
          SafeText.whole(kind),
          tenant.label());
    }
  }

  private void appoint(long nanos) {
    if (!stopped && !appointed.get() && !appointed.getAndSet(true)) {
      var unused = timer.schedule(this::lookLater, nanos, TimeUnit.NANOSECONDS);
    }
  }

  /** Looks at a few tenants; the others have their turn after a pause. */
  private void lookLater() {
    if (stopped) {
      return;
    }
    long started = System.nanoTime();
    visited.values().stream().limit(TENANTS_TOGETHER).toList().forEach(this::lookQuietly);
    appointed.set(false);
    if (!visited.isEmpty()) {
      appoint(Math.max(PAUSE_NANOS, COST_SHARE * (System.nanoTime() - started)));
    }
  }

  /**
   * Looks at a tenant, and logs failures at debug level: other parts meet the same failure and
   * report it.
   */
  private void lookQuietly(TenantRef tenant) {
    visited.remove(tenant.number());
    try {
      database
          .withLockTimeout(PATIENCE)
          .run("look for unknown kinds of " + tenant.label(), session -> lookAt(session, tenant));
    } catch (RuntimeException | Error e) {
      log.debug("no look for unknown kinds", e);
    }
  }

  private void lookAt(Session session, TenantRef tenant) throws SQLException {
    List<Integer> slots = IntStream.range(0, tenant.state().lanes().slots()).boxed().toList();
    boolean more = true;
    for (int i = 0; i < MOST_FOUND && more; i++) {
      List<Kind> found =
          look(session, tenant, slots, expected(tenant)).stream()
              .flatMap(List::stream)
              .filter(Kind::isWellFormed)
              .toList();
      found.forEach(kind -> tell(tenant, String.valueOf(kind.text)));
      more = !found.isEmpty();
    }
  }
}
