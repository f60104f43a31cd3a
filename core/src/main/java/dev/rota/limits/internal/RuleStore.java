package dev.rota.limits.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.Breaker;
import dev.rota.limits.Limits;
import dev.rota.limits.PayloadQuota;
import dev.rota.limits.Rate;
import dev.rota.limits.Scope;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The statements about rules. Thread-safe. */
final class RuleStore {

  private static final Sql LOCK_RULES = Sql.named("lock_rules");
  private static final Sql READ_RULE_VERSION = Sql.named("read_rule_version");
  private static final Sql READ_RULES = Sql.named("read_rules");
  private static final Sql READ_PLANS = Sql.named("read_plans");
  private static final Sql SET_LIMITS = Sql.named("set_limits");
  private static final Sql PAUSE_SCOPE = Sql.named("pause_scope");
  private static final Sql RESUME_SCOPE = Sql.named("resume_scope");
  private static final Sql REMOVE_EMPTY_RULES = Sql.named("remove_empty_rules");
  private static final Sql CHANGE_PLAN = Sql.named("change_plan");
  private static final Sql READ_PLAN = Sql.named("read_plan");
  private static final Sql TENANTS_OF_PLAN = Sql.named("tenants_of_plan");

  private final RegistryTables tables;
  private final UnreadableRules unreadable;

  RuleStore(RegistryTables tables) {
    this.tables = tables;
    this.unreadable = new UnreadableRules(tables);
  }

  /**
   * A scope as stored.
   *
   * @param tenant the number of its tenant, or null
   */
  record Key(@Nullable Integer tenant, Scope scope) {

    private @Nullable Object[] binds(@Nullable Object... more) {
      OptionalInt priority = scope.priority();
      List<@Nullable Object> binds = new ArrayList<>();
      binds.add(tenant);
      binds.add(scope.plan().orElse(null));
      binds.add(scope.kind().orElse(null));
      binds.add(priority.isPresent() ? priority.getAsInt() : null);
      binds.addAll(Arrays.asList(more));
      return binds.toArray();
    }
  }

  /** Keeps other sessions from changing rules until the end of the transaction. */
  void lock(Session session) throws SQLException {
    long unused = versionBy(session, LOCK_RULES);
  }

  /** Reads the version of all rules; 0 if its row is missing. */
  long version(Session session) throws SQLException {
    return versionBy(session, READ_RULE_VERSION);
  }

  private long versionBy(Session session, Sql statement) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                statement.call(),
                statement.on("rule_version", tables.ruleVersion()),
                row -> row.getLong(1)))
        .stream()
        .findFirst()
        .orElse(0L);
  }

  /** Reads all rules but those that cannot be read, of which it warns. */
  List<RuleRow> read(Session session) throws SQLException {
    return unreadable.without(
        session.run(
            BoundStatement.query(
                READ_RULES.call(),
                READ_RULES.on(
                    Map.of(
                        "rules", tables.rules(),
                        "kind_pauses", tables.kindPauses(),
                        "tenants", tables.tenants())),
                unreadable::read)));
  }

  /** Reads the plans of tenants that do not have the default one, by their numbers. */
  Map<Integer, String> readPlans(Session session) throws SQLException {
    Map<Integer, String> plans = new HashMap<>();
    session.run(
        BoundStatement.query(
            READ_PLANS.call(),
            READ_PLANS.on("tenants", tables.tenants()),
            row -> plans.put(row.getInt(1), row.getString(2)) == null));
    return plans;
  }

  /** Writes the limits of a scope. */
  void set(Session session, Key key, Limits limits) throws SQLException {
    update(
        session,
        SET_LIMITS,
        key.binds(
            limits.weight().orElse(null),
            limits.tier().orElse(null),
            limits.concurrency().orElse(null),
            limits.rate().map(Rate::starts).orElse(null),
            limits.rate().map(rate -> rate.per().toMillis()).orElse(null),
            limits.rate().map(Rate::burst).orElse(null),
            limits.maxPending().orElse(null),
            limits.maxPayload().map(PayloadQuota::bytes).orElse(null),
            limits.maxPayload().map(PayloadQuota::period).orElse(null),
            limits.pool().orElse(null),
            limits.breaker().map(Breaker::toString).orElse(null)));
    removeEmpty(session);
  }

  /** Pauses a scope; null for a pause without an end. */
  void pause(Session session, Key key, String reason, @Nullable Duration length)
      throws SQLException {
    Long micros = length == null ? null : TimeUnit.NANOSECONDS.toMicros(length.toNanos());
    update(session, PAUSE_SCOPE, key.binds(reason, micros));
  }

  /** Ends the pause of a scope; false if it was not paused. */
  boolean resume(Session session, Key key) throws SQLException {
    boolean was = update(session, RESUME_SCOPE, key.binds()) > 0;
    removeEmpty(session);
    return was;
  }

  private void removeEmpty(Session session) throws SQLException {
    int unused = update(session, REMOVE_EMPTY_RULES);
  }

  private int update(Session session, Sql statement, @Nullable Object... binds)
      throws SQLException {
    return session.run(
        BoundStatement.update(statement.call(), statement.on("rules", tables.rules()), binds));
  }

  /** Gives a tenant a plan; false if there is no such tenant. */
  boolean changePlan(Session session, int tenant, String plan) throws SQLException {
    String sql = CHANGE_PLAN.on("tenants", tables.tenants());
    return session.run(BoundStatement.update(CHANGE_PLAN.call(), sql, plan, tenant)) > 0;
  }

  /** Reads the plan of a tenant; an empty list if there is no such tenant. */
  List<String> planOf(Session session, int tenant) throws SQLException {
    return session.run(
        BoundStatement.query(
            READ_PLAN.call(),
            READ_PLAN.on("tenants", tables.tenants()),
            row -> row.getString(1),
            tenant));
  }

  /** Finds the tenants of a plan. */
  List<Integer> tenantsOf(Session session, String plan) throws SQLException {
    return session.run(
        BoundStatement.query(
            TENANTS_OF_PLAN.call(),
            TENANTS_OF_PLAN.on("tenants", tables.tenants()),
            row -> row.getInt(1),
            plan));
  }
}
