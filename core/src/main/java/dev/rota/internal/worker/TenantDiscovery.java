package dev.rota.internal.worker;

import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Database.PinnedConnection;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.DiscoverySql;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Finds the tenants whose rings changed: one query compares the insert counters of all rings with
 * their last values. The counters make discovery prompt; a slow sweep over all tables makes it
 * certain, since counters restart at zero after a crash of the server. The sweep takes small steps,
 * since visits of thousands of tenants at once would delay tenants with work, and skips empty
 * tables.
 *
 * <p>It keeps a connection for itself while its pool has enough of them: a backend that has opened
 * thousands of tables has no room to keep claims prepared.
 *
 * <p>Counters of inserts alone are enough since every insert of Rota makes its backend report them
 * at its commit. The sizes of the tables add nothing but the cost of opening each one.
 */
public final class TenantDiscovery implements AutoCloseable {

  private static final Sql LOOK_FOR_TASKS = Sql.named("look_for_tasks");

  private static final Logger log = Logs.of(TenantDiscovery.class);

  /**
   * Polling may cost one part in this many of a core, and reading the registry one in that many.
   * The total is less than a twentieth, however many tenants there are.
   */
  private static final int COST_SHARE = 30;

  private static final int RELOAD_SHARE = 100;

  /** The database's number of a table that was dropped. */
  private static final long MISSING = 0;

  /** The pause between two looks at the registry, and less where the process wants it sooner. */
  private static final long RELOAD_NANOS = TimeUnit.SECONDS.toNanos(1);

  // However long a single query took, perhaps because machine or database stalled.
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_RELOAD_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long TROUBLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final Duration PATIENCE = Duration.ofMillis(100);

  private final PinnedConnection connection;
  private final Database database;
  private final TenantRegistry registry;
  private final Database impatient;
  private final TenantQueues queues;
  private final RuleFollower rules;
  private final String discover;
  private final Pace pace;
  // Keeps the handles of all tenants alive, and with them their place in the registry's cache.
  private final Map<Integer, Known> tenants = new HashMap<>();
  private List<TenantRef> all = List.of();
  private TaskRules watchedBy = TaskRules.NONE;
  private final WatchedSlots slots = new WatchedSlots();
  // Tables that were missing at the last lookup.
  private final List<WatchedSlots.Slot> missing = new ArrayList<>();
  private long reloadedAt;
  private long reloadNanos;
  private long reloadBeforeNanos;
  private final SweepSchedule sweep = new SweepSchedule(SWEEP_NANOS, System.nanoTime());
  private final List<Long> unseen = new ArrayList<>();
  private long ruleVersion;
  private boolean troubled;
  private int history;

  /**
   * How often it looks, in nanoseconds.
   *
   * @param poll the pause between two looks at the counters
   * @param reload that between two looks at the registry; at most a second
   */
  public record Pace(long poll, long reload) {

    /** At this pace, and no slower than by default. */
    public Pace {
      reload = Math.min(reload, RELOAD_NANOS);
    }
  }

  /** A tenant, and the number of its slots that were looked up. */
  private record Known(TenantRef tenant, int slots) {}

  /**
   * Creates the discovery of one worker.
   *
   * @param rules are read again when a look finds that they changed
   */
  public TenantDiscovery(
      Database database,
      TenantRegistry registry,
      TenantQueues queues,
      RuleFollower rules,
      Pace pace) {
    this.connection = database.keepConnection();
    this.database = database.on(connection);
    this.registry = registry;
    this.rules = rules;
    this.discover = DiscoverySql.discover(registry.tables());
    this.impatient = this.database.withLockTimeout(PATIENCE);
    this.queues = queues;
    this.pace = pace;
  }

  /**
   * Polls once.
   *
   * @return the pause before the next poll, in nanoseconds
   */
  public long look() {
    long started = System.nanoTime();
    try {
      boolean elsewhere = isInOtherHistory();
      reloadWhenDue(started);
      long pause = compare();
      if (watchOthers()) {
        pause = compare();
      }
      visitFilled(takeUnseen());
      visitFilled(dueForSweep(started));
      if (elsewhere) {
        sweep();
      }
      recovered();
      return pause;
    } catch (RuntimeException | Error e) {
      trouble(e);
      return Math.max(pace.poll, TROUBLE_NANOS);
    } finally {
      connection.pause();
    }
  }

  /** Returns its connection to the pool; no look may follow. */
  @Override
  public void close() {
    connection.close();
  }

  /**
   * Whether the last look was in another history of the server. Its counters prove nothing about
   * the present ones.
   */
  private boolean isInOtherHistory() {
    boolean isOther = history != registry.history();
    if (isOther) {
      history = registry.history();
      reloadedAt = 0;
    }
    return isOther;
  }

  /**
   * Compares the counters. The cost of a table's first comparison does not predict that of the
   * next.
   */
  private long compare() {
    long started = System.nanoTime();
    long seenAt = rules.recent().now();
    ruleVersion = rules.version();
    database.run("look for tenants with new tasks", this::compare);
    if (rules.follow(ruleVersion)) {
      rules.recent().saw(history, seenAt);
    }
    return unseen.isEmpty()
        ? Math.max(
            pace.poll, Math.min(COST_SHARE * (System.nanoTime() - started), LONGEST_PAUSE_NANOS))
        : pace.poll;
  }

  private void reloadWhenDue(long now) {
    long pause = Math.min(Math.max(pace.reload, RELOAD_SHARE * reloadNanos), LONGEST_RELOAD_NANOS);
    if (reloadedAt != 0 && now - reloadedAt < pause) {
      return;
    }
    all = registry.loadAll();
    rules.refresh();
    watch(rules.rules());
    queues.flows().registered(tenants.size());
    reloadedAt = now;
    long took = System.nanoTime() - now;
    // The first one of a process takes longer, and any may meet a stall.
    reloadNanos = Math.min(took, reloadBeforeNanos);
    reloadBeforeNanos = took;
  }

  /** Watches other tenants if the rules changed which ones the worker serves. */
  private boolean watchOthers() {
    TaskRules present = rules.rules();
    boolean others =
        present != watchedBy
            && all.stream()
                .anyMatch(
                    tenant ->
                        present.serves(tenant.number()) != tenants.containsKey(tenant.number()));
    if (others) {
      watch(present);
    }
    watchedBy = present;
    return others;
  }

  /** Watches the tenants that the worker serves by some rules. */
  private void watch(TaskRules present) {
    Map<Integer, Known> found = new HashMap<>();
    List<WatchedSlots.Slot> added = new ArrayList<>();
    for (TenantRef tenant : all) {
      if (!present.serves(tenant.number())) {
        continue;
      }
      int slotCount = tenant.state().lanes().slots();
      Known before = tenants.get(tenant.number());
      found.put(tenant.number(), new Known(tenant, slotCount));
      for (int slot = before == null ? 0 : before.slots(); slot < slotCount; slot++) {
        added.add(new WatchedSlots.Slot(tenant, slot));
      }
    }
    forgetAllBut(found.keySet());
    added.addAll(missing);
    if (!added.isEmpty()) {
      add(added, database.transaction("look up tables", session -> oids(session, added)));
    }
    tenants.putAll(found);
    watchedBy = present;
  }

  private void forgetAllBut(Set<Integer> numbers) {
    if (tenants.keySet().retainAll(numbers)) {
      slots.forgetAllBut(numbers);
      unseen.removeIf(oid -> !slots.has(oid));
    }
    missing.removeIf(slot -> !numbers.contains(slot.tenant().number()));
    queues.forgetAllBut(numbers);
  }

  private static List<Long> oids(Session session, List<WatchedSlots.Slot> added)
      throws SQLException {
    String[] names = added.stream().map(slot -> Sql.render(slot.table())).toArray(String[]::new);
    return session.run(
        BoundStatement.query(DiscoverySql.LOOK_UP_TABLES, row -> row.getLong(1), (Object) names));
  }

  /**
   * Adds slots. New slots are visited once in any case, after their counters were read. Slots whose
   * tables are missing are looked up again: a restore creates tables one by one.
   */
  private void add(List<WatchedSlots.Slot> added, List<Long> found) {
    missing.clear();
    Map<Long, WatchedSlots.Slot> present = new LinkedHashMap<>();
    for (int i = 0; i < added.size(); i++) {
      if (found.get(i) == MISSING) {
        missing.add(added.get(i));
      } else {
        present.put(found.get(i), added.get(i));
      }
    }
    slots.add(present);
  }

  private void compare(Session session) throws SQLException {
    session.run(
        BoundStatement.query(
            DiscoverySql.CALL,
            discover,
            row -> {
              changed(row.getLong(1), row.getLong(2));
              return true;
            },
            slots.tables(),
            slots.counters(),
            ruleVersion));
  }

  /**
   * Compares a counter. A lower value means that the table is gone, or that the server restarted
   * the counter.
   */
  private void changed(long oid, long count) {
    if (oid == DiscoverySql.RULES) {
      ruleVersion = count;
      return;
    }
    WatchedSlots.Slot slot = slots.slot(oid);
    long before = slots.count(oid, count);
    if (before == WatchedSlots.UNSEEN) {
      unseen.add(oid);
    } else if (count < before) {
      unseen.add(oid);
      recount(slot);
    } else {
      queues.counted(slot.tenant().number(), slot.bit(), count - before);
    }
  }

  private long[] takeUnseen() {
    long[] taken = unseen.stream().mapToLong(Long::longValue).toArray();
    unseen.clear();
    return taken;
  }

  private long[] dueForSweep(long now) {
    long[] all = slots.tables();
    SweepSchedule.Slice slice = sweep.next(all.length, now);
    return Arrays.copyOfRange(all, slice.from(), slice.to());
  }

  /** Removes tables that are gone. If any is, all tables are checked, and looked up again soon. */
  private long[] present(long[] tables) {
    if (gone(tables).isEmpty()) {
      return tables;
    }
    List<Long> gone = gone(slots.tables());
    gone.forEach(oid -> missing.add(slots.slot(oid)));
    slots.remove(gone);
    reloadedAt = 0;
    return Arrays.stream(tables).filter(oid -> !gone.contains(oid)).toArray();
  }

  private List<Long> gone(long[] tables) {
    return database.transaction(
        "look for tables that are gone",
        session -> session.run(DiscoverySql.gone(tables, slots.names(tables))));
  }

  /**
   * Queues the tenants of the given tables that are not empty. While another session locks readers
   * out of one table, all of them are queued.
   */
  private void visitFilled(long[] candidates) {
    if (candidates.length == 0) {
      return;
    }
    long[] tables = present(candidates);
    List<Long> filled;
    try {
      filled = impatient.tryTransaction("look for tasks", session -> filled(session, tables));
    } catch (SQLException e) {
      if (!SqlErrors.isLockConflict(e)) {
        throw SqlErrors.translate("look for tasks", e);
      }
      filled = Arrays.stream(tables).boxed().toList();
    }
    filled.forEach(oid -> recount(slots.slot(oid)));
  }

  private void recount(WatchedSlots.Slot slot) {
    queues.recount(slot.tenant().number(), slot.bit());
  }

  private List<Long> filled(Session session, long[] tables) throws SQLException {
    session.opens(tables.length, slots.tables().length);
    return session.run(BoundStatement.query(LOOK_FOR_TASKS, row -> row.getLong(1), tables));
  }

  /** Queues every tenant that the worker serves. */
  public void sweep() {
    tenants.keySet().forEach(tenant -> queues.recount(tenant, ClaimRequest.ALL_SLOTS));
  }

  /** Sweeps after the database was unavailable: the counters may have restarted. */
  private void recovered() {
    if (troubled) {
      troubled = false;
      log.info("Rota's worker reached the database again");
      sweep();
    }
  }

  private void trouble(Throwable e) {
    if (!troubled) {
      log.warn("Rota's worker cannot look for work, and keeps trying: {}", e.getMessage());
    }
    troubled = true;
  }
}
