package dev.rota.cli.tenant;

import dev.rota.Tenant;
import dev.rota.Tenants;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.history.RetentionPolicy;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows or changes the policy of one tenant. */
@Command(
    name = "policy",
    description = "Show the policy of a tenant, and change what an option names.",
    sortOptions = false)
public final class TenantPolicyCommand extends TenantAction {

  static final String DEFAULT = "default";

  @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
  private String name = "";

  @Mixin private final PolicyOptions options = new PolicyOptions();

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  public TenantPolicyCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    Tenant tenant = tenants.get(name);
    RetentionPolicy policy =
        options.isGiven()
            ? tenant.history().changeRetention(options::apply)
            : tenant.history().retention();
    if (json) {
      out.println(Json.render(fields(policy)));
    } else {
      print(policy, out);
    }
  }

  private void print(RetentionPolicy policy, PrintStream out) {
    out.println(name + " keeps its history: " + keepsHistory(policy));
    out.println("archives it before it is dropped: " + archives(policy));
    out.println("keeps its archive: " + text(policy.keepArchive()));
    out.println("legal hold: " + PolicyOptions.switched(policy.legalHold()));
    out.println(
        "seals segments at the age of: "
            + text(policy.segmentAge())
            + ", of this size: "
            + policy.segmentBytes().map(bytes -> Text.count(bytes) + " bytes").orElse(DEFAULT));
  }

  /** Formats the time for people, in the form of the option. */
  static String keepsHistory(RetentionPolicy policy) {
    return text(policy.keepHistory());
  }

  /** Formats the choice for people, in the form of the option. */
  static String archives(RetentionPolicy policy) {
    return policy.archive().map(yes -> yes ? PolicyOptions.YES : PolicyOptions.NO).orElse(DEFAULT);
  }

  private static String text(Optional<Duration> duration) {
    return duration.map(Text::duration).orElse(DEFAULT);
  }

  static Map<String, @Nullable Object> fields(RetentionPolicy policy) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("keepHistory", policy.keepHistory().map(Duration::toString).orElse(null));
    fields.put("archive", policy.archive().orElse(null));
    fields.put("keepArchive", policy.keepArchive().map(Duration::toString).orElse(null));
    fields.put("legalHold", policy.legalHold());
    fields.put("segmentAge", policy.segmentAge().map(Duration::toString).orElse(null));
    fields.put("segmentBytes", policy.segmentBytes().orElse(null));
    return fields;
  }
}
