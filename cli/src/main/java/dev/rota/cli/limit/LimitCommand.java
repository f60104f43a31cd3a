package dev.rota.cli.limit;

import static java.util.stream.Collectors.joining;

import dev.rota.cli.common.CommandGroup;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
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
                "for a cap also all, kind:K, plan:P/kind:K or tenant:T/kind:K."
              })
          Scope scope,
      @Option(
              names = "--concurrency",
              paramLabel = "N",
              description = {
                "How many of its tasks may run at a time, over all processes, 1 or more;",
                "for a plan: of each of its tenants."
              })
          @Nullable Integer concurrency,
      @Option(
              names = "--weight",
              paramLabel = "NUMBER",
              description = {
                "Its share of the handlers' time beside tenants of weight 1, 0.001 to 1000."
              })
          @Nullable Double weight,
      @Option(
              names = "--tier",
              paramLabel = "N",
              description = {
                "Tenants of a higher tier are served first, -10 to 10;",
                "lower ones share a tenth of the time. Without a tier: 0."
              })
          @Nullable Integer tier,
      @Option(
              names = "--max-pending",
              paramLabel = "N",
              converter = CountConverter.class,
              description = {
                "How many pending tasks the tenant may have, such as 100000 or 1e5;",
                "enqueues beyond are refused. For a plan: each of its tenants."
              })
          @Nullable Long maxPending,
      @Option(
              names = "--pool",
              paramLabel = "POOL",
              description = {
                "The pool whose workers run its tasks;",
                "'default' is the one of workers without pools."
              })
          @Nullable String pool) {
    if (concurrency == null
        && weight == null
        && tier == null
        && maxPending == null
        && pool == null) {
      throw new UsageException("give --concurrency, --weight, --tier, --max-pending or --pool");
    }
    return change(
        database,
        scope,
        limits -> {
          Limits capped = concurrency == null ? limits : limits.concurrency(concurrency);
          Limits weighted = weight == null ? capped : capped.weight(weight);
          Limits tiered = tier == null ? weighted : weighted.tier(tier);
          Limits bounded = maxPending == null ? tiered : tiered.maxPending(maxPending);
          return pool == null ? bounded : bounded.pool(pool);
        });
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
    String quota = limits.maxPending().map(own -> "max-pending " + own).orElse("");
    String pool = limits.pool().map(own -> "pool " + own).orElse("");
    String all =
        Stream.of(weight, tier, cap, quota, pool)
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
