package dev.rota.dashboard.internal.action;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.TaskState;
import dev.rota.control.ProgressListener;
import dev.rota.control.Redrive;
import dev.rota.control.Replay;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.action.Action.Plan;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.Hours;
import dev.rota.dashboard.internal.view.Inputs;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.history.HistoryFilter;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.TenantErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/** Actions that make tasks run: dead ones, those of history, and new ones. Thread-safe. */
final class RerunActions {

  private static final int MOST_TENANTS = 10_000;
  private static final int MOST_PROBLEMS = 5;
  private static final String TENANT = "tenant";
  private static final String KIND = "kind";
  private static final String FINGERPRINT = "fingerprint";
  private static final String SPREAD = "spread";
  private static final List<TaskState> REPLAYED =
      List.of(TaskState.DONE, TaskState.DEAD, TaskState.CANCELLED);

  private final Rota rota;
  private final Supplier<Instant> now;

  /** Creates the actions; {@code now} reads the clock of the database. */
  RerunActions(Rota rota, Supplier<Instant> now) {
    this.rota = rota;
    this.now = now;
  }

  List<Action> all() {
    return List.of(
        new Action(
            "redrive",
            "Run dead tasks again",
            Right.REDRIVE,
            visit ->
                List.of(
                    Inputs.optional(visit, TENANT, "Tenant (all with the error, if empty)"),
                    Inputs.optional(visit, KIND, "Kind"),
                    Inputs.optional(visit, FINGERPRINT, "Fingerprint of the error"),
                    Inputs.optional(visit, "task", "Number of a task"),
                    Inputs.optional(visit, "hours", "Died in the last hours", "24"),
                    Inputs.optional(visit, SPREAD, "Spread over, such as 10 min")),
            this::redrive),
        new Action(
            "replay",
            "Enqueue tasks of history once more",
            Right.REDRIVE,
            visit ->
                List.of(
                    Inputs.needed(visit, TENANT, "Tenant"),
                    Inputs.optional(visit, KIND, "Kind"),
                    Inputs.choice(
                        visit, "state", "State", REPLAYED.stream().map(Constants::nameOf).toList()),
                    Inputs.optional(visit, "task", "Number of a task"),
                    Inputs.optional(visit, "hours", "Enqueued in the last hours", "24"),
                    Inputs.optional(visit, SPREAD, "Spread over, such as 10 min"),
                    Inputs.optional(visit, "once", "Name, to replay each task once")),
            this::replay),
        new Action(
            "enqueue",
            "Enqueue a task",
            Right.ENQUEUE,
            visit ->
                List.of(
                    Inputs.needed(visit, TENANT, "Tenant"),
                    Inputs.needed(visit, KIND, "Kind"),
                    Inputs.area(visit, "payload", "Payload"),
                    Inputs.optional(visit, "delay", "Delay, such as 10 min"),
                    Inputs.optional(visit, "priority", "Priority"),
                    Inputs.optional(visit, "key", "Key")),
            this::enqueue));
  }

  private Optional<Plan> redrive(Visit visit) {
    Optional<String> tenant = visit.parameter(TENANT);
    OptionalLong fingerprint = Inputs.number(visit, FINGERPRINT);
    if (tenant.isEmpty() && fingerprint.isEmpty()) {
      return Optional.empty();
    }
    tenant.ifPresentOrElse(visit::require, () -> requireAllTenants(visit));
    Instant from = now.get().minus(Duration.ofHours(Hours.of(visit.request())));
    Redrive all = Redrive.all().diedFrom(from);
    Redrive spread = Inputs.duration(visit, SPREAD).map(all::spreadOver).orElse(all);
    Redrive ofKind = visit.parameter(KIND).map(spread::kind).orElse(spread);
    OptionalLong task = Inputs.number(visit, "task");
    Redrive ofTask = task.isPresent() ? ofKind.ids(Set.of(task.getAsLong())) : ofKind;
    Redrive what = fingerprint.isPresent() ? ofTask.fingerprint(fingerprint.getAsLong()) : ofTask;
    CountListener counting = new CountListener(visit);
    List<TenantErrors> tenants =
        tenant
            .map(name -> List.of(TenantErrors.unknown(name)))
            .orElseGet(() -> with(visit, fingerprint.getAsLong(), from));
    return Optional.of(plan(visit, what, tenant, tenants, counting));
  }

  /** The audit shows what concerns several tenants to viewers of all tenants alone. */
  private static void requireAllTenants(Visit visit) {
    if (visit.viewer().tenants().isPresent()) {
      throw new IllegalArgumentException("tenant is missing; viewers of some tenants name one");
    }
  }

  private List<TenantErrors> with(Visit visit, long fingerprint, Instant from) {
    ErrorQuery all = ErrorQuery.between(from, now.get().plusSeconds(1)).limit(MOST_TENANTS);
    ErrorQuery query = visit.parameter(KIND).map(all::kind).orElse(all);
    return rota.insight().tenantsWith(fingerprint, query);
  }

  private Plan plan(
      Visit visit,
      Redrive what,
      Optional<String> tenant,
      List<TenantErrors> tenants,
      CountListener counting) {
    long tasks = 0;
    counting.begin(tenants.size());
    for (TenantErrors each : tenants) {
      tasks +=
          counting.isCut()
              ? each.attempts().dead()
              : rota.tenants().get(each.tenant()).control().redrive(what.dryRun(), counting);
    }
    String spread = what.spread().isZero() ? " at once" : " within " + Show.time(what.spread());
    String effect =
        "It runs %s of %s again%s."
            .formatted(counting.text(tasks), tenants(tenants.size()), spread);
    return new Plan(
        tenant,
        Inputs.about(visit, TENANT, KIND, FINGERPRINT, "task", "hours", SPREAD),
        effect,
        counting.exact(tasks),
        progress -> redrive(what, tenants, progress));
  }

  private static String tenants(int number) {
    return number == 1 ? "1 tenant" : Show.count(number) + " tenants";
  }

  /** Redrives tenant by tenant; one that refuses does not keep the others from it. */
  private String redrive(Redrive what, List<TenantErrors> tenants, ProgressListener progress) {
    long tasks = 0;
    List<String> problems = new ArrayList<>();
    for (TenantErrors each : tenants) {
      long before = tasks;
      try {
        tasks +=
            rota.tenants()
                .get(each.tenant())
                .control()
                .redrive(what, done -> progress.proceed(before + done));
      } catch (RotaException e) {
        problems.add(each.tenant() + ": " + e.getMessage());
      }
      if (!progress.proceed(tasks)) {
        break;
      }
    }
    if (!problems.isEmpty()) {
      throw new RotaException(
          "%d of %s failed: %s"
              .formatted(
                  problems.size(),
                  tenants(tenants.size()),
                  String.join(
                      "; ", problems.subList(0, Math.min(MOST_PROBLEMS, problems.size())))));
    }
    return tenants(tenants.size());
  }

  private Optional<Plan> replay(Visit visit) {
    Optional<String> tenant = visit.parameter(TENANT);
    if (tenant.isEmpty()) {
      return Optional.empty();
    }
    visit.require(tenant.get());
    TaskState state = Constants.named("state", visit.parameter("state").orElse("done"), REPLAYED);
    HistoryFilter recent =
        HistoryFilter.all()
            .states(state)
            .createdFrom(now.get().minus(Duration.ofHours(Hours.of(visit.request()))));
    HistoryFilter ofKind = visit.parameter(KIND).map(recent::kind).orElse(recent);
    OptionalLong task = Inputs.number(visit, "task");
    HistoryFilter filter = task.isPresent() ? ofKind.taskId(task.getAsLong()) : ofKind;
    Replay all = Replay.of(filter);
    Replay spread = Inputs.duration(visit, SPREAD).map(all::spreadOver).orElse(all);
    Replay replay = visit.parameter("once").map(spread::once).orElse(spread);
    CountListener counting = new CountListener(visit);
    long tasks = control(tenant.get()).replay(replay.dryRun(), counting).tasks();
    return Optional.of(
        new Plan(
            tenant,
            Inputs.about(visit, TENANT, KIND, "state", "task", "hours", SPREAD, "once"),
            "It enqueues " + counting.text(tasks) + " once more, as new ones.",
            counting.exact(tasks),
            progress -> {
              control(tenant.get()).replay(replay, progress);
              return "";
            }));
  }

  private dev.rota.control.TaskControl control(String tenant) {
    return rota.tenants().get(tenant).control();
  }

  private Optional<Plan> enqueue(Visit visit) {
    Optional<String> tenant = visit.parameter(TENANT);
    Optional<String> kind = visit.parameter(KIND);
    if (tenant.isEmpty() || kind.isEmpty()) {
      return Optional.empty();
    }
    visit.require(tenant.get());
    NewTask plain =
        NewTask.of(kind.get(), visit.request().parameters().getOrDefault("payload", ""));
    NewTask later = Inputs.duration(visit, "delay").map(plain::after).orElse(plain);
    NewTask keyed = visit.parameter("key").map(later::withKey).orElse(later);
    NewTask task = Inputs.small(visit, "priority").map(keyed::priority).orElse(keyed);
    return Optional.of(
        Plan.of(
            tenant,
            Inputs.about(visit, TENANT, KIND, "delay", "priority", "key"),
            "One task of kind %s is enqueued for %s.".formatted(kind.get(), tenant.get()),
            progress -> {
              long id = rota.tenants().get(tenant.get()).enqueue(task);
              progress.proceed(1);
              return "task " + id;
            }));
  }
}
