package dev.rota.dashboard.internal.action;

import dev.rota.Rota;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.action.Action.Plan;
import dev.rota.dashboard.internal.view.Inputs;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.limits.Limits;
import dev.rota.limits.Rate;
import dev.rota.limits.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Actions on tenants and on scopes: pauses, limits, closing. Thread-safe. */
final class TenantActions {

  private static final String TENANT = "tenant";
  private static final String SCOPE = "scope";
  private static final String REASON = "reason";
  private static final String LENGTH = "length";
  private static final String WEIGHT = "weight";
  private static final String CONCURRENCY = "concurrency";
  private static final String PENDING = "pending";
  private static final String RATE = "rate";
  private static final String NONE = "none";
  private static final String SCOPES = "Scope, such as tenant:acme or kind:email.send";

  private final Rota rota;

  TenantActions(Rota rota) {
    this.rota = rota;
  }

  List<Action> all() {
    return List.of(
        new Action(
            "pause",
            "Pause a tenant, kind or plan",
            Right.TENANT,
            visit ->
                List.of(
                    Inputs.needed(visit, SCOPE, SCOPES),
                    Inputs.optional(visit, REASON, "Reason, for people"),
                    Inputs.optional(visit, LENGTH, "For, such as 2 h; until resumed, if empty")),
            visit -> scope(visit).map(scope -> pause(visit, scope))),
        new Action(
            "resume",
            "Resume a tenant, kind or plan",
            Right.TENANT,
            visit -> List.of(Inputs.needed(visit, SCOPE, SCOPES)),
            visit -> scope(visit).map(scope -> resume(visit, scope))),
        new Action(
            "limits",
            "Change limits",
            Right.TENANT,
            visit ->
                List.of(
                    Inputs.needed(visit, SCOPE, SCOPES),
                    Inputs.optional(visit, WEIGHT, "Weight"),
                    Inputs.optional(visit, CONCURRENCY, "Tasks that run at once"),
                    Inputs.optional(visit, RATE, "Starts, such as 100/s"),
                    Inputs.optional(visit, PENDING, "Pending tasks")),
            this::limits),
        new Action(
            "close",
            "Close a tenant",
            Right.TENANT,
            visit -> List.of(Inputs.needed(visit, TENANT, "Tenant")),
            visit ->
                named(
                    visit,
                    "The tenant refuses new tasks. Its pending tasks still run.",
                    name -> rota.tenants().close(name))),
        new Action(
            "reopen",
            "Open a closed tenant",
            Right.TENANT,
            visit -> List.of(Inputs.needed(visit, TENANT, "Tenant")),
            visit ->
                named(
                    visit,
                    "The tenant takes new tasks again.",
                    name -> {
                      var unused = rota.tenants().reopen(name);
                    })));
  }

  /** The scope of a form; viewers of some tenants may only mean one of these. */
  private static Optional<Scope> scope(Visit visit) {
    Optional<Scope> scope = visit.parameter(SCOPE).map(Scope::parse);
    scope.ifPresent(
        given -> given.tenant().ifPresentOrElse(visit::require, visit::requireAllTenants));
    return scope;
  }

  private Plan pause(Visit visit, Scope scope) {
    String reason = visit.parameter(REASON).orElse("");
    Optional<Duration> length = Inputs.duration(visit, LENGTH);
    return Plan.of(
        scope.tenant(),
        Inputs.about(visit, SCOPE, REASON, LENGTH),
        "No task of %s begins %s. Those that run end."
            .formatted(
                scope, length.map(time -> "for " + Show.time(time)).orElse("until it is resumed")),
        progress -> {
          length.ifPresentOrElse(
              time -> rota.controls().pause(scope, reason, time),
              () -> rota.controls().pause(scope, reason));
          return "";
        });
  }

  private Plan resume(Visit visit, Scope scope) {
    return Plan.of(
        scope.tenant(),
        Inputs.about(visit, SCOPE),
        "Tasks of %s begin again, unless another pause covers them.".formatted(scope),
        progress -> rota.controls().resume(scope) ? "" : "it was not paused");
  }

  private Optional<Plan> limits(Visit visit) {
    Optional<Scope> scope = scope(visit);
    UnaryOperator<Limits> change = change(visit);
    String about = Inputs.about(visit, SCOPE, WEIGHT, CONCURRENCY, RATE, PENDING);
    boolean changes =
        List.of(WEIGHT, CONCURRENCY, RATE, PENDING).stream()
            .anyMatch(name -> visit.parameter(name).isPresent());
    return changes
        ? scope.map(
            given ->
                Plan.of(
                    given.tenant(),
                    about,
                    "The limits of %s change; %s removes one."
                        .formatted(given, NONE)
                        .concat(" They become: " + change.apply(present(given))),
                    progress -> rota.controls().changeLimits(given, change).toString()))
        : Optional.empty();
  }

  private Limits present(Scope scope) {
    return rota.controls().rules().stream()
        .filter(rule -> rule.scope().equals(scope))
        .map(rule -> rule.limits())
        .findFirst()
        .orElseGet(Limits::none);
  }

  /** What the filled fields change; the others stay. */
  private static UnaryOperator<Limits> change(Visit visit) {
    return present -> {
      Limits limits = present;
      limits = changed(visit, WEIGHT, limits, Limits::weightByDefault, TenantActions::weight);
      limits =
          changed(
              visit,
              CONCURRENCY,
              limits,
              Limits::concurrencyByDefault,
              (old, text) -> old.concurrency(Inputs.small(CONCURRENCY, text)));
      limits =
          changed(
              visit,
              RATE,
              limits,
              Limits::rateByDefault,
              (old, text) -> old.rate(Rate.parse(text)));
      return changed(
          visit,
          PENDING,
          limits,
          Limits::maxPendingByDefault,
          (old, text) -> old.maxPending(number(PENDING, text)));
    };
  }

  /** Sets one limit to what a field says. */
  private interface Setter {
    Limits set(Limits limits, String text);
  }

  private static Limits changed(
      Visit visit, String field, Limits limits, UnaryOperator<Limits> remove, Setter set) {
    return visit
        .parameter(field)
        .map(text -> text.equals(NONE) ? remove.apply(limits) : set.set(limits, text))
        .orElse(limits);
  }

  private static Limits weight(Limits limits, String text) {
    try {
      return limits.weight(Double.parseDouble(text));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("weight is '%s'; use a number".formatted(text), e);
    }
  }

  private static long number(String field, String text) {
    return Inputs.number(field, text);
  }

  /** Makes the plan of a change to the tenant of a name. */
  private Optional<Plan> named(Visit visit, String effect, Consumer<String> change) {
    Optional<String> tenant = visit.parameter(TENANT);
    if (tenant.isEmpty()) {
      return Optional.empty();
    }
    visit.require(tenant.get());
    String name = rota.tenants().get(tenant.get()).name();
    return Optional.of(
        Plan.of(
            tenant,
            Inputs.about(visit, TENANT),
            effect,
            progress -> {
              change.accept(name);
              return "";
            }));
  }
}
