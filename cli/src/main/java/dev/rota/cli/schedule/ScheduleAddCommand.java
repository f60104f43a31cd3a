package dev.rota.cli.schedule;

import dev.rota.NewTask;
import dev.rota.Tenants;
import dev.rota.cli.common.PriorityConverter;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.tenant.TenantAction;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.OverlappingRuns;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.ScheduleInfo;
import dev.rota.schedule.Schedules;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Adds or changes a schedule. */
@Command(
    name = "add",
    description =
        "Add a schedule, or change the one of this name, and print when it runs next. Safe to"
            + " repeat.",
    sortOptions = false)
final class ScheduleAddCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Parameters(index = "1", paramLabel = "NAME", description = "The name of the schedule.")
  private String name = "";

  @Parameters(index = "2", paramLabel = "KIND", description = "The kind of its tasks.")
  private String kind = "";

  @Parameters(
      index = "3",
      paramLabel = "PAYLOAD",
      description = "What the handler gets, JSON by convention.")
  private String payload = "";

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Times times = new Times();

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = "The time zone of the cron expression, such as Europe/Berlin; default: UTC.")
  private String zone = "UTC";

  @Option(
      names = "--starting-at",
      paramLabel = "TIME",
      description = "The earliest time, such as 2026-12-01T00:00:00Z; a period counts from it.")
  private @Nullable Instant startingAt;

  @Option(
      names = "--missed",
      paramLabel = "POLICY",
      description = "skip, once or all: the policy for missed times; default: once.")
  private MissedRuns missed = MissedRuns.ONCE;

  @Option(
      names = "--overlapping",
      paramLabel = "POLICY",
      description = "start or skip another task while the last has not ended; default: start.")
  private OverlappingRuns overlapping = OverlappingRuns.START;

  @Option(
      names = "--jitter",
      paramLabel = "DURATION",
      description = "The longest random delay, such as 30s; default: none.")
  private Duration jitter = Duration.ZERO;

  @Option(
      names = "--priority",
      paramLabel = "PRIORITY",
      converter = PriorityConverter.class,
      description = "The priority of its tasks, -1000 to 1000; default: 0.")
  private int priority;

  /** The times; exactly one of the two options. */
  static final class Times {
    @Option(
        names = "--cron",
        paramLabel = "EXPRESSION",
        required = true,
        description = "Minute, hour, day of month, month and day of week, such as '30 8 * * 1-5'.")
    private @Nullable String cron;

    @Option(
        names = "--every",
        paramLabel = "DURATION",
        required = true,
        description = "The period, such as 15m.")
    private @Nullable Duration every;

    Schedule of(String name, NewTask task) {
      if (cron != null) {
        return Schedule.cron(name, cron, task);
      }
      if (every != null) {
        return Schedule.every(name, every, task);
      }
      throw new UsageException("give --cron or --every");
    }
  }

  ScheduleAddCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    Schedules schedules = tenants.get(tenant).schedules();
    Schedule schedule =
        times
            .of(name, NewTask.of(kind, payload).priority(priority))
            .zone(zone)
            .missed(missed)
            .overlapping(overlapping)
            .jitter(jitter);
    ScheduleInfo added =
        schedules.add(startingAt == null ? schedule : schedule.startingAt(startingAt));
    out.println(ScheduleText.next(added));
  }
}
