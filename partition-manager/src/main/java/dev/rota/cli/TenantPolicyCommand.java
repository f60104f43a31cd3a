package dev.rota.cli;

import dev.rota.Tenant;
import dev.rota.TenantPolicy;
import dev.rota.Tenants;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Shows or changes what holds for one tenant. */
@Command(
    name = "policy",
    description = "Show what holds for a tenant, and change what an option names.",
    sortOptions = false)
final class TenantPolicyCommand extends TenantAction {

  static final String DEFAULT = "default";

  @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
  private String name = "";

  @Option(
      names = "--keep-history",
      paramLabel = "DURATION",
      converter = HistoryChange.class,
      description = {
        "How long sealed segments of its history are kept, such as 30d;",
        "'default' for as long as the daemon's --keep-history says."
      })
  private @Nullable UnaryOperator<TenantPolicy> keepHistory;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  TenantPolicyCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  void act(Tenants tenants, PrintStream out) {
    Tenant tenant = tenants.get(name);
    TenantPolicy policy = keepHistory == null ? tenant.policy() : tenant.changePolicy(keepHistory);
    out.println(
        json
            ? Json.render(fields(policy))
            : Text.printable(name) + " keeps its history: " + keepsHistory(policy));
  }

  /** For people; as the option takes it. */
  static String keepsHistory(TenantPolicy policy) {
    return policy.keepHistory().map(Text::duration).orElse(DEFAULT);
  }

  static Map<String, @Nullable Object> fields(TenantPolicy policy) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("keepHistory", policy.keepHistory().map(Duration::toString).orElse(null));
    return fields;
  }

  private static final class HistoryChange implements ITypeConverter<UnaryOperator<TenantPolicy>> {

    @Override
    public UnaryOperator<TenantPolicy> convert(String value) {
      if (value.equals(DEFAULT)) {
        return TenantPolicy::keepHistoryByDefault;
      }
      Duration age = new DurationConverter().convert(value);
      try {
        TenantPolicy unused = TenantPolicy.defaults().keepHistory(age);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
      return policy -> policy.keepHistory(age);
    }
  }
}
