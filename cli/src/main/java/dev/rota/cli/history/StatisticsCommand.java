package dev.rota.cli.history;

import dev.rota.Tenants;
import dev.rota.cli.common.Listing;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.tenant.TenantAction;
import dev.rota.history.HourlyStatistics;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows how many attempts ended in each hour, and how long they took. */
@Command(
    name = "statistics",
    description = {
      "Show how many attempts of a tenant ended in each hour, by kind, and how long they took.",
      "Counted are those of workers that have hourly statistics switched on."
    },
    sortOptions = false)
public final class StatisticsCommand extends TenantAction {

  private static final Instant EVER = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Only hours that end after this time, as 2030-01-31T08:00:00Z.")
  private Instant from = EVER;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Only hours that begin before this time.")
  private Instant to = FOREVER;

  @Option(names = "--kind", paramLabel = "KIND", description = "Only tasks of this kind.")
  private @Nullable String kind;

  @Option(
      names = "--json",
      description = "Print one JSON array instead of a table; times in microseconds.")
  private boolean json;

  public StatisticsCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    if (to.isBefore(from)) {
      throw new UsageException("--to is before --from");
    }
    List<HourlyStatistics> hours =
        tenants.get(tenant).history().statistics(from, to).stream()
            .filter(row -> kind == null || kind.equals(row.kind()))
            .toList();
    new Listing<>(StatisticsCommand::fields, StatisticsCommand::table).print(hours, json, out);
  }

  private static Table table(List<HourlyStatistics> hours) {
    Table table =
        new Table("HOUR", "ENDED", "DONE", "FAILED", "DEAD", "CANCELLED", "RAN", "WAITED", "KIND");
    for (HourlyStatistics row : hours) {
      table.add(
          Text.seconds(row.hour()),
          Text.count(row.ended().count()),
          Text.count(row.ended().done()),
          Text.count(row.ended().failed()),
          Text.count(row.ended().dead()),
          Text.count(row.ended().cancelled()),
          mean(row.running()),
          mean(row.waiting()),
          row.kind());
    }
    return table;
  }

  /** Formats the mean in the largest fitting unit. */
  private static String mean(HourlyStatistics.Times times) {
    double millis = micros(times.mean()) / 1e3;
    return times.count() == 0
        ? "-"
        : millis < 1_000 ? String.format(Locale.ROOT, "%.1fms", millis) : Text.age(millis / 1e3);
  }

  private static Map<String, Object> fields(HourlyStatistics row) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("hour", row.hour().toString());
    fields.put("kind", row.kind());
    fields.put("count", row.ended().count());
    fields.put("done", row.ended().done());
    fields.put("failed", row.ended().failed());
    fields.put("dead", row.ended().dead());
    fields.put("cancelled", row.ended().cancelled());
    fields.put("runSum", micros(row.running().sum()));
    fields.put("runMean", micros(row.running().mean()));
    fields.put("firstAttempts", row.waiting().count());
    fields.put("waitSum", micros(row.waiting().sum()));
    fields.put("waitMean", micros(row.waiting().mean()));
    return fields;
  }

  private static long micros(Duration duration) {
    return duration.toSeconds() * 1_000_000 + duration.toNanosPart() / 1_000;
  }
}
