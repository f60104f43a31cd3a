package dev.rota.limits.internal;

import dev.rota.RotaException;
import dev.rota.UnknownTenantException;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.log.Logs;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.Controls;
import dev.rota.limits.Explanation;
import dev.rota.limits.Limits;
import dev.rota.limits.LiveShares;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Default implementation of {@link Controls}. */
public final class DefaultControls implements Controls {

  private static final Logger log = Logs.of(DefaultControls.class);

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
  private static final Duration LONGEST_PAUSE = Duration.ofDays(36_500);
  private static final int LONGEST_REASON = 1_000;
  private static final Duration SHORTEST_WINDOW = Duration.ofMillis(100);
  private static final Duration LONGEST_WINDOW = Duration.ofMinutes(1);
  private static final int MOST_TENANTS = 10_000;

  private final Runnable ensureOpen;
  private final Database database;
  private final TenantRegistry registry;
  private final RuleWatch watch;
  private final QuietWatch quiet;
  private final RuleStore store;
  private final Insights insights;
  private final BreakerStore orders;

  /** Creates the controls of one Rota; the first argument throws once it is closed. */
  public DefaultControls(
      Runnable ensureOpen,
      Database database,
      TenantRegistry registry,
      RuleWatch watch,
      int lockNamespace) {
    this.ensureOpen = ensureOpen;
    this.database = database;
    this.registry = registry;
    this.watch = watch;
    this.store = watch.store();
    this.orders = new BreakerStore(registry.tables());
    this.quiet = new QuietWatch(database, registry, store, lockNamespace);
    this.insights = Insights.of(database, registry.tables(), store, lockNamespace);
  }

  @Override
  public Limits changeLimits(Scope scope, UnaryOperator<Limits> change) {
    RuleStore.Key key = key(scope);
    return changeTenants(
        "change the limits of " + scope,
        session -> {
          store.lock(session);
          Limits present =
              store.read(session).stream()
                  .filter(row -> row.order() == null && row.scope().equals(scope))
                  .findFirst()
                  .map(RuleRow::limits)
                  .orElse(Limits.none());
          Limits changed = Objects.requireNonNull(change.apply(present), "the new limits are null");
          requireFitting(scope, changed);
          if (!changed.equals(present)) {
            store.set(session, key, changed);
          }
          return changed;
        });
  }

  private static void requireFitting(Scope scope, Limits limits) {
    boolean ofTenants = scope.tenant().isPresent() || scope.plan().isPresent();
    boolean whole = scope.kind().isEmpty() && scope.priority().isEmpty();
    if (limits.pool().isPresent() && !(ofTenants && whole)) {
      throw new IllegalArgumentException(
          "scope " + scope + " takes no pool; give it to plan:P or tenant:T");
    }
    boolean isOfTenants =
        Stream.of(limits.weight(), limits.tier(), limits.maxPending(), limits.maxPayload())
            .anyMatch(Optional::isPresent);
    if (isOfTenants && !(ofTenants && whole)) {
      throw new IllegalArgumentException(
          "scope " + scope + " takes no weight, tier or quota; give it to plan:P or tenant:T");
    }
    if (limits.concurrency().isPresent() && scope.priority().isPresent()) {
      throw new IllegalArgumentException(
          "scope " + scope + " takes no concurrency; give it to its tenant, or to a kind of it");
    }
    if (limits.breaker().isPresent() && scope.kind().isEmpty()) {
      throw new IllegalArgumentException(
          "scope "
              + scope
              + " takes no breaker; give it to kind:K, plan:P/kind:K or tenant:T/kind:K");
    }
    if (limits.rate().isPresent() && scope.priority().isPresent()) {
      throw new IllegalArgumentException(
          "scope " + scope + " takes no rate; give it to its tenant, or to a kind of it");
    }
  }

  @Override
  public void pause(Scope scope, String reason) {
    put(scope, reason, null);
  }

  @Override
  public void pause(Scope scope, String reason, Duration length) {
    put(scope, reason, RotaConfig.within("pause", length, SHORTEST_PAUSE, LONGEST_PAUSE));
  }

  private void put(Scope scope, String reason, @Nullable Duration length) {
    RuleStore.Key key = key(scope);
    String kept = SafeText.of(reason);
    String cut = kept.length() > LONGEST_REASON ? kept.substring(0, LONGEST_REASON) : kept;
    change(
        "pause " + scope,
        session -> {
          store.lock(session);
          store.pause(session, key, cut, length);
          return true;
        });
  }

  @Override
  public boolean resume(Scope scope) {
    RuleStore.Key key = key(scope);
    return change(
        "resume " + scope,
        session -> {
          store.lock(session);
          return store.resume(session, key);
        });
  }

  @Override
  public boolean reopen(Scope scope) {
    RuleStore.Key key = key(scope);
    String kind =
        scope
            .kind()
            .filter(own -> scope.plan().isEmpty())
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "scope " + scope + " has no such pause; give kind:K or tenant:T/kind:K"));
    int tenant = key.tenant() == null ? 0 : key.tenant();
    return change(
        "reopen " + scope,
        session -> {
          store.lock(session);
          return orders.reopen(session, new ScopeLimits.Key(tenant, kind));
        });
  }

  @Override
  public boolean awaitQuiet(Scope scope, Duration patience) {
    return quiet.await(key(scope), patience);
  }

  @Override
  public List<Rule> rules() {
    ensureOpen.run();
    return database.transaction(
        "read the rules",
        session ->
            StoredRules.read(session, store)
                .valid()
                .map(RuleRow::rule)
                .filter(rule -> rule.pause().isPresent() || !rule.limits().equals(Limits.none()))
                .toList());
  }

  @Override
  public void changePlan(String tenant, String plan) {
    Scope.plan(plan);
    TenantRef ref = tenant(tenant);
    boolean there =
        changeTenants(
            "change the plan of " + ref.label(),
            session -> store.changePlan(session, ref.number(), plan));
    if (!there) {
      throw unknown(tenant);
    }
  }

  @Override
  public String planOf(String tenant) {
    TenantRef ref = tenant(tenant);
    return database
        .transaction(
            "read the plan of " + ref.label(), session -> store.planOf(session, ref.number()))
        .stream()
        .findFirst()
        .orElseThrow(() -> unknown(tenant));
  }

  @Override
  public Explanation why(String tenant) {
    ensureOpen.run();
    return insights.why().explain(tenant, null, true);
  }

  @Override
  public Explanation why(String tenant, String kind) {
    ensureOpen.run();
    Scope.kind(kind);
    return insights.why().explain(tenant, kind, true);
  }

  @Override
  public Explanation whyWithoutShares(String tenant, Optional<String> kind) {
    ensureOpen.run();
    kind.ifPresent(Scope::kind);
    return insights.why().explain(tenant, kind.orElse(null), false);
  }

  @Override
  public LiveShares top(Duration window, int most) {
    ensureOpen.run();
    RotaConfig.within("window", window, SHORTEST_WINDOW, LONGEST_WINDOW);
    if (most < 1 || most > MOST_TENANTS) {
      throw new IllegalArgumentException("most is " + most + "; it must be 1 to " + MOST_TENANTS);
    }
    return insights.top().read(window, most);
  }

  private RuleStore.Key key(Scope scope) {
    ensureOpen.run();
    return new RuleStore.Key(
        scope.tenant().map(this::tenant).map(TenantRef::number).orElse(null), scope);
  }

  private TenantRef tenant(String name) {
    ensureOpen.run();
    TaskValidator.checkName(name);
    TenantRef ref = registry.find(name).orElseThrow(() -> unknown(name));
    ref.use();
    return ref;
  }

  private static UnknownTenantException unknown(String name) {
    return new UnknownTenantException(
        "no tenant is named '" + SafeText.of(name) + "'; rota tenant list shows the names");
  }

  /** Changes rules that may give tenants a quota, or take theirs. */
  private <T> T changeTenants(String purpose, TransactionBody<T> body) {
    T result = change(purpose, body);
    try {
      // It says which tenants have a quota.
      registry.refresh();
    } catch (RotaException e) {
      // The change is committed, and the next refresh finds it.
      log.debug("the registry could not be read after a change", e);
    }
    return result;
  }

  /** Changes rules in one transaction, after which this process follows at once. */
  private <T> T change(String purpose, TransactionBody<T> body) {
    T result = database.transaction(purpose, body);
    try {
      database.run("read the rules", watch::refresh);
    } catch (RotaException e) {
      // The change is committed, and the next look of a worker finds it.
      log.debug("the rules could not be read after a change", e);
    }
    return result;
  }
}
