package dev.rota.daemon.internal.maintenance;

import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.DiscoverySql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Remembers when each tenant's next task is due. The insert counters of the wait tables show which
 * tenants are out of date. Used by one thread.
 */
public final class DueTimes {

  /** The due time without waiting tasks. */
  static final long NEVER = Long.MAX_VALUE;

  private final TenantCatalog catalog;
  private final TaskRules.Source rules;
  private final long origin = System.nanoTime();
  private Map<Integer, Waiting> tenants = new HashMap<>();
  private Map<Long, Waiting> byTable = new HashMap<>();
  private int edition = -1;
  private long ruleVersion;

  /** One tenant. */
  static final class Waiting {
    private final TenantCatalog.Entry entry;
    private long inserts = -1;
    private long dueAt;

    Waiting(TenantCatalog.Entry entry) {
      this.entry = entry;
    }

    TenantCatalog.Entry entry() {
      return entry;
    }

    /** Sets when to visit the tenant again, in the time of {@link #now()}. */
    void dueAt(long time) {
      dueAt = time;
    }
  }

  public DueTimes(TenantCatalog catalog, TaskRules.Source rules) {
    this.catalog = catalog;
    this.rules = rules;
  }

  /** The time, in nanoseconds since this object was created. */
  long now() {
    return System.nanoTime() - origin;
  }

  /**
   * Adds new tenants and removes missing ones. New ones are due at once: nothing is known of them.
   */
  void follow() {
    if (edition == catalog.edition()) {
      return;
    }
    Map<Integer, Waiting> present = new HashMap<>();
    Map<Long, Waiting> tables = new HashMap<>();
    for (TenantCatalog.Entry entry : catalog.all()) {
      if (entry.waiting() != 0) {
        Waiting known = tenants.get(entry.number());
        Waiting waiting = known != null && known.entry.equals(entry) ? known : new Waiting(entry);
        present.put(entry.number(), waiting);
        tables.put(entry.waiting(), waiting);
      }
    }
    tenants = present;
    byTable = tables;
    edition = catalog.edition();
  }

  /** Finds the wait tables with new rows, and reads changed rules. */
  void compare(Session session) throws SQLException {
    ruleVersion = rules.version();
    int count = byTable.size();
    long[] tables = new long[count];
    long[] seen = new long[count];
    int i = 0;
    for (Map.Entry<Long, Waiting> each : byTable.entrySet()) {
      tables[i] = each.getKey();
      seen[i++] = each.getValue().inserts;
    }
    session.run(
        BoundStatement.query(
            "look for waiting tasks",
            DiscoverySql.discover(catalog.tables()),
            row -> changed(row.getLong(1), row.getLong(2)),
            tables,
            seen,
            ruleVersion));
    rules.follow(session, ruleVersion);
  }

  /** The due tenants, the longest first. Of those that are paused nothing is due. */
  List<Waiting> due() {
    long now = now();
    List<Waiting> due = new ArrayList<>();
    for (Waiting waiting : tenants.values()) {
      if (waiting.dueAt <= now && !isPaused(waiting)) {
        due.add(waiting);
      }
    }
    due.sort(Comparator.comparingLong(waiting -> waiting.dueAt));
    return due;
  }

  /** The time at which the next tenant is due. */
  long nextDueAt() {
    return tenants.values().stream()
        .filter(waiting -> !isPaused(waiting))
        .mapToLong(waiting -> waiting.dueAt)
        .min()
        .orElse(NEVER);
  }

  private boolean isPaused(Waiting waiting) {
    return Objects.requireNonNull(rules.present().get()).pauses(waiting.entry.number()).all();
  }

  private boolean changed(long table, long inserts) {
    if (table == DiscoverySql.RULES) {
      ruleVersion = inserts;
    }
    Waiting waiting = byTable.get(table);
    if (waiting != null) {
      waiting.inserts = inserts;
      waiting.dueAt = Math.min(waiting.dueAt, now());
    }
    return true;
  }
}
