package dev.rota.limits.internal;

import dev.rota.RetryAfterException;
import dev.rota.RotaException;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.limits.Scope;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps the rules of one process. Others tell it the version that they saw with what they read
 * anyway; it reads all rules when that differs from the one it knows. Thread-safe.
 */
public final class RuleWatch implements TaskRules.Source {

  private static final Logger log = Logs.of(RuleWatch.class);

  private static final long UNREAD = -1;

  /** The version of a database that has never had a rule. */
  private static final long NO_RULES_YET = 0;

  /** Reading rules and plans may take one part in so many of the time. */
  private static final int COST_SHARE = 5;

  private final Database database;
  private final RegistryTables tables;
  private final RuleStore store;
  private final LongSupplier nanoTime;
  private final CopyOnWriteArrayList<TaskRules.Listener> listeners = new CopyOnWriteArrayList<>();
  private final CapLease caps;
  private final Breakers breakers;
  private final RuleSnapshot.Held held;
  private final AtomicReference<TaskRules> present = new AtomicReference<>(TaskRules.NONE);
  private volatile @Nullable ProcessLease lease;
  private volatile Edition edition;
  private int editions;
  private boolean troubled;

  /**
   * What was read last.
   *
   * @param version the version of the database, or less than 0 if it was never read
   * @param endsAt when a pause ends, so that other rules hold
   * @param restUntil when they may be read again
   */
  private record Edition(long version, Contents contents, long endsAt, long restUntil) {}

  /** What was read at a time. */
  private record Contents(List<RuleRow> rows, Map<Integer, String> plans, long at) {}

  /**
   * Creates the watch of one Rota.
   *
   * @param timer leases slots of caps and starts at rates, and writes holds and breakers
   * @param nanoTime the clock by which pauses end
   */
  public RuleWatch(
      Database database,
      RegistryTables tables,
      ScheduledExecutorService timer,
      LongSupplier nanoTime) {
    this.database = database;
    this.tables = tables;
    this.store = new RuleStore(tables);
    this.caps = new CapLease(database, tables, timer, listeners);
    this.breakers = new Breakers(database, tables, timer, nanoTime);
    breakers.followedBy(new Following());
    RateLease rates = new RateLease(database, tables, timer, listeners);
    this.held = new RuleSnapshot.Held(caps.budgets(), rates.budgets(), breakers);
    this.nanoTime = nanoTime;
    this.edition = unread();
  }

  /** The statements about rules. */
  RuleStore store() {
    return store;
  }

  /** What holds for processes that have read no version: a database begins without rules. */
  private Edition unread() {
    long now = nanoTime.getAsLong();
    return new Edition(UNREAD, nothing(now), now + Long.MAX_VALUE / 2, now);
  }

  @Override
  public AtomicReference<TaskRules> present() {
    return present;
  }

  @Override
  public long version() {
    return edition.version;
  }

  @Override
  public void follow(Session session, long version) throws SQLException {
    endPauses();
    Edition known = edition;
    if (known.version == version) {
      return;
    }
    int before = editions();
    long startedAt = nanoTime.getAsLong();
    Contents contents = version == NO_RULES_YET ? nothing(startedAt) : read(session, startedAt);
    accept(version, contents, before);
  }

  private static Contents nothing(long at) {
    return new Contents(List.of(), Map.of(), at);
  }

  private Contents read(Session session, long startedAt) throws SQLException {
    List<RuleRow> rows = store.read(session);
    boolean anyPlan = rows.stream().anyMatch(row -> row.scope().plan().isPresent());
    return new Contents(rows, anyPlan ? store.readPlans(session) : Map.of(), startedAt);
  }

  @Override
  public void follow(long version) {
    endPauses();
    Edition known = edition;
    boolean rests = known.version != UNREAD && nanoTime.getAsLong() - known.restUntil < 0;
    if (known.version == version || rests) {
      return;
    }
    if (version == NO_RULES_YET) {
      accept(version, nothing(nanoTime.getAsLong()), editions());
      return;
    }
    try {
      database.run("read the rules", session -> follow(session, version));
      troubled = false;
    } catch (RotaException e) {
      if (!troubled) {
        log.warn("Rota cannot read its rules, and keeps those that it knows: {}", e.getMessage());
      }
      troubled = true;
    }
  }

  /** Reads the rules now, after a change by this process. */
  void refresh(Session session) throws SQLException {
    int before = editions();
    long startedAt = nanoTime.getAsLong();
    accept(store.version(session), read(session, startedAt), before);
  }

  private synchronized int editions() {
    return editions;
  }

  /**
   * Takes what was read, unless another thread has read a later version meanwhile.
   *
   * @param before the number of editions when reading began
   */
  private synchronized void accept(long version, Contents contents, int before) {
    if (editions == before || version > edition.version) {
      long now = nanoTime.getAsLong();
      editions++;
      publish(version, contents, now + COST_SHARE * (now - contents.at));
    }
  }

  private void publish(long version, Contents contents, long restUntil) {
    long now = nanoTime.getAsLong();
    List<RuleRow> rows = new ArrayList<>(contents.rows);
    rows.addAll(breakers.holds(contents.at));
    RuleSnapshot snapshot = new RuleSnapshot(rows, contents.plans, held, now - contents.at);
    long left = Math.min(snapshot.endsIn(), Long.MAX_VALUE / 2);
    snapshot.apply();
    TaskRules rules = rows.isEmpty() ? TaskRules.NONE : snapshot;
    present.set(rules);
    listeners.forEach(listener -> listener.apply(rules));
    // A version is known once all workers follow it.
    edition = new Edition(version, contents, now + left, restUntil);
  }

  /** Lets pauses end whose time is over. */
  private void endPauses() {
    if (nanoTime.getAsLong() - edition.endsAt >= 0) {
      endPausesNow();
    }
  }

  private synchronized void endPausesNow() {
    Edition old = edition;
    if (nanoTime.getAsLong() - old.endsAt >= 0) {
      publish(old.version, old.contents, old.restUntil);
    }
  }

  @Override
  public synchronized void listen(TaskRules.Listener listener) {
    listeners.add(listener);
    listener.apply(Objects.requireNonNull(present.get()));
  }

  @Override
  public synchronized void unlisten(TaskRules.Listener listener) {
    listeners.remove(listener);
  }

  @Override
  public void hold(ClaimedTask task, RetryAfterException wish) {
    boolean isOfTenant = wish.reach() == RetryAfterException.Reach.TENANT;
    Scope scope =
        isOfTenant ? Scope.tenant(task.tenant()).ofKind(task.kind()) : Scope.kind(task.kind());
    breakers.hold(isOfTenant ? task.tenantNumber() : 0, scope, wish.pause(), "asked by " + task);
    if (!Objects.requireNonNull(present.get()).pauses(task.tenantNumber()).hold(task)) {
      republish();
    }
  }

  /** Lets a hold be in force here at once, before it is written. */
  private synchronized void republish() {
    Edition old = edition;
    publish(old.version, old.contents, old.restUntil);
  }

  private final class Following implements Breakers.Follower {

    @Override
    public void changed() {
      database.run("read the rules", RuleWatch.this::refresh);
    }

    @Override
    public void visit(Set<Integer> tenants) {
      listeners.forEach(listener -> listener.roomCame(tenants));
    }
  }

  @Override
  public void leaseBy(ProcessLease own) {
    lease = own;
    caps.leaseBy(own);
  }

  @Override
  public TaskRules.Shard shard(Set<String> pools, int workers) {
    return new ShuffleShard(
        database,
        tables,
        Objects.requireNonNull(lease),
        new ShuffleShard.Terms(pools, workers),
        nanoTime);
  }

  @Override
  public synchronized void forget() {
    Edition old = edition;
    editions++;
    edition = new Edition(UNREAD, old.contents, old.endsAt, old.restUntil);
  }
}
