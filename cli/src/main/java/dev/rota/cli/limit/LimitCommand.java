package dev.rota.cli.limit;

import static java.util.stream.Collectors.joining;

import dev.rota.cli.common.CommandGroup;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.Limits;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The group of commands about limits. */
@Command(
    name = "limit",
    description = "Show, set and remove limits of scopes, and the plans of tenants.",
    synopsisSubcommandLabel = "COMMAND",
    addMethodSubcommands = false)
public final class LimitCommand extends CommandGroup {

  private final Terminal terminal;
  private final RuleCalls calls;

  private LimitCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.calls = new RuleCalls(terminal, secrets);
  }

  public static CommandLine withSubcommands(Terminal terminal, Secrets secrets) {
    return new LimitCommand(terminal, secrets).with("show", "set", "unset", "plan");
  }

  @Command(
      description = "Show the rules of a scope, or of all: limits and pauses.",
      sortOptions = false)
  int show(
      @Mixin DatabaseOptions database,
      @Parameters(
              arity = "0..1",
              paramLabel = "SCOPE",
              converter = ScopeConverter.class,
              description = {"Only this scope:", ScopeConverter.FORMS})
          @Nullable Scope scope,
      @Option(names = "--json", description = "Print one JSON array instead of a table.")
          boolean json) {
    return calls.run(
        database,
        controls -> {
          List<Rule> rules =
              controls.rules().stream()
                  .filter(rule -> scope == null || rule.scope().equals(scope))
                  .toList();
          if (json) {
            terminal.out().println(Json.render(rules.stream().map(RuleText::fields).toList()));
          } else {
            RuleText.table(rules).print(terminal.out());
          }
          return 0;
        });
  }

  @Command(description = "Set limits of a scope; the others stay.", sortOptions = false)
  int set(
      @Mixin DatabaseOptions database,
      @Parameters(
              paramLabel = "SCOPE",
              converter = ScopeConverter.class,
              description = {
                "A plan or a tenant: plan:P or tenant:T;",
                "for a cap or a rate also all, kind:K, plan:P/kind:K or tenant:T/kind:K;",
                "for a breaker the last three."
              })
          Scope scope,
      @Mixin LimitOptions options) {
    options.check();
    return change(database, scope, options::on);
  }

  @Command(description = "Remove all limits of a scope; a pause stays.", sortOptions = false)
  int unset(
      @Mixin DatabaseOptions database,
      @Parameters(
              paramLabel = "SCOPE",
              converter = ScopeConverter.class,
              description = {"The scope:", ScopeConverter.FORMS})
          Scope scope) {
    return change(database, scope, limits -> Limits.none());
  }

  private int change(DatabaseOptions database, Scope scope, UnaryOperator<Limits> change) {
    return calls.run(
        database,
        controls -> {
          Limits limits = controls.changeLimits(scope, change);
          terminal.out().println(SafeText.whole(scope.toString()) + ": " + text(limits));
          return 0;
        });
  }

  private static String text(Limits limits) {
    String weight = limits.weight().map(own -> "weight " + RuleText.weight(own)).orElse("");
    String tier = limits.tier().map(own -> "tier " + own).orElse("");
    String cap = limits.concurrency().map(own -> "concurrency " + own).orElse("");
    String rate = limits.rate().map(own -> "rate " + own).orElse("");
    String quota = limits.maxPending().map(own -> "max-pending " + own).orElse("");
    String payload = limits.maxPayload().map(own -> "max-payload " + own).orElse("");
    String pool = limits.pool().map(own -> "pool " + own).orElse("");
    String breaker = limits.breaker().map(own -> "breaker " + own).orElse("");
    String all =
        Stream.of(weight, tier, cap, rate, quota, payload, pool, breaker)
            .filter(own -> !own.isEmpty())
            .collect(joining(", "));
    return all.isEmpty() ? "no limits" : all;
  }

  @Command(description = "Show the plan of a tenant, or give it another one.", sortOptions = false)
  int plan(
      @Mixin DatabaseOptions database,
      @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
          String tenant,
      @Parameters(
              index = "1",
              arity = "0..1",
              paramLabel = "PLAN",
              description = "The new plan; 'default' is the one of tenants that were given none.")
          @Nullable String plan) {
    return calls.run(
        database,
        controls -> {
          if (plan != null) {
            controls.changePlan(tenant, plan);
          }
          terminal.out().println(SafeText.whole(tenant) + ": plan " + controls.planOf(tenant));
          return 0;
        });
  }
}
