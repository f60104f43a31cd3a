package dev.rota.cli.metering;

import dev.rota.Rota;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.metering.Metering;
import dev.rota.metering.Usage;
import dev.rota.metering.UsageVerification;
import dev.rota.metering.UsageVerification.Difference;
import java.io.PrintStream;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Shows what tenants used in each hour, and compares it with the history. */
@Command(
    name = "usage",
    description = {
      "Show what each tenant used in each hour: attempts that ended, run time of their handlers,"
          + " bytes of their payloads, lost attempts, storage.",
      "A batch counts in the hour in which it ends. Times are those of UTC."
    },
    sortOptions = false)
public final class UsageCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description =
          "Only hours that begin at this time or later, as 2030-01-31 or"
              + " 2030-01-31T08:00:00Z.")
  private Instant from = Instant.parse("2000-01-01T00:00:00Z");

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "Only hours that begin before this time.")
  private Instant to = Instant.parse("9999-01-01T00:00:00Z");

  @Option(names = "--tenant", paramLabel = "NAME", description = "Only this tenant.")
  private @Nullable String tenant;

  @ArgGroup private final Form form = new Form();

  private final Terminal terminal;
  private final Secrets secrets;

  /** The form of the output. */
  private static final class Form {
    @Option(names = "--csv", description = "Print lines of comma-separated values.")
    private boolean csv;

    @Option(
        names = "--json",
        description = "Print one JSON array instead of a table; times in microseconds.")
    private boolean json;

    @Option(
        names = "--verify",
        description =
            "Compare attempts and bytes with the history, in all hours that ledger and history"
                + " still have. Prints 'exact', or the differences with exit code 1.")
    private boolean verify;
  }

  /** Parses a day or a time. */
  static final class TimeConverter implements ITypeConverter<Instant> {

    @Override
    public Instant convert(String value) {
      try {
        return value.indexOf('T') < 0
            ? LocalDate.parse(value).atStartOfDay(ZoneOffset.UTC).toInstant()
            : Instant.parse(value.toUpperCase(Locale.ROOT));
      } catch (DateTimeParseException e) {
        throw new TypeConversionException(
            "'" + value + "' is not a time such as 2030-01-31 or 2030-01-31T08:00:00Z");
      }
    }
  }

  public UsageCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() {
    if (to.isBefore(from)) {
      throw new UsageException("--to is before --from");
    }
    if (form.verify && tenant != null) {
      throw new UsageException("--verify compares all tenants; leave out --tenant");
    }
    try (CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      return form.verify
          ? verify(rota.metering(), terminal.out())
          : print(rota.metering(), terminal.out());
    }
  }

  private int print(Metering metering, PrintStream out) {
    UsageFormat format =
        form.csv ? UsageFormat.CSV : form.json ? UsageFormat.JSON : UsageFormat.TABLE;
    try (Stream<Usage> usage =
        tenant == null ? metering.usage(from, to) : metering.usage(tenant, from, to)) {
      format.print(usage, out);
    }
    return 0;
  }

  private int verify(Metering metering, PrintStream out) {
    UsageVerification result = metering.verify(from, to);
    if (result.skipped() > 0) {
      terminal
          .err()
          .println(
              result.skipped()
                  + " hours of tenants are not compared: the ledger or the history has dropped a"
                  + " part of them");
    }
    result.differences().forEach(difference -> out.println(line(difference)));
    terminal.err().println(result.compared() + " hours of tenants compared");
    if (result.isExact()) {
      out.println("exact");
    }
    return result.isExact() ? 0 : 1;
  }

  private static String line(Difference difference) {
    return String.format(
        Locale.ROOT,
        "%s %s: usage has %d attempts and %d bytes, history %d and %d",
        difference.hour(),
        difference.tenant(),
        difference.usage().attempts(),
        difference.usage().bytes(),
        difference.history().attempts(),
        difference.history().bytes());
  }
}
