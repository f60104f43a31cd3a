package dev.rota.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prints the figures of a run of the crash suite as the table of benchmarks/results/reliability.md.
 * The build calls it after the tests.
 */
public final class ReliabilityReport {

  private static final String NOT_RUN = "not in this run";

  private final boolean soak;
  private final Map<String, JsonNode> figures;

  private ReliabilityReport(boolean soak, Map<String, JsonNode> figures) {
    this.soak = soak;
    this.figures = figures;
  }

  /**
   * Prints the report. Arguments: the folder with the files that {@link CrashRun#record} has
   * written, whether it was the long run, and its seed. Files of other runs do not count.
   */
  public static void main(String[] args) throws IOException {
    Path results = Path.of(args[0]);
    boolean soak = Boolean.parseBoolean(args[1]);
    String table = report(results, soak, args[2]);
    Files.writeString(Files.createDirectories(results).resolve("report.md"), table);
    System.out.println(table);
  }

  static String report(Path results, boolean soak, String seed) throws IOException {
    return new ReliabilityReport(soak, read(results, CrashRun.name(soak, seed))).table();
  }

  private static Map<String, JsonNode> read(Path results, String run) throws IOException {
    Map<String, JsonNode> figures = new TreeMap<>();
    if (!Files.isDirectory(results)) {
      return figures;
    }
    try (Stream<Path> files = Files.list(results)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".json")).toList()) {
        JsonNode content = new ObjectMapper().readTree(file.toFile());
        if (content.path("run").asText().equals(run)) {
          String name = file.getFileName().toString().replace(".json", "");
          figures.put(name, content.path("figures"));
        } else {
          System.out.println("left out of the report, as it is of another run: " + file);
        }
      }
    }
    return figures;
  }

  private String table() {
    return Stream.of(
            List.of("| property | target | measured |", "|---|---|---|"),
            rowsOfRuns(),
            rowsOfCases(),
            rowsOfLimits())
        .flatMap(List::stream)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private List<String> rowsOfRuns() {
    String faults = target("200", "1,000");
    return List.of(
        row("faults survived, leased", faults, all("campaign-leased", this::campaign)),
        row(
            "faults survived, transactional",
            faults,
            all("campaign-transactional", this::campaign)),
        row("lost, unexplained duplicates, stranded", "0, 0, 0", all("campaign-", this::charges)),
        row(
            "duplicates explained by a pause of the process alone",
            "",
            all("campaign-", this::pauses)),
        row(
            "rotations under load with kills",
            target("1,000", "10,000"),
            all("rotations-under-kills", this::rotations)),
        row(
            "tables rewritten under load, with restores and steps of the clock",
            target("200, over 200,000 tasks", "2,000"),
            all("rewrite-", this::rewrites)),
        row(
            "the same: lost, unexplained duplicates, stranded",
            "0, 0, 0",
            all("rewrite-", this::charges)),
        row(
            "failover and restore beside processes of the lost past",
            "only what the server never had is lost",
            all("failover-", this::failover)));
  }

  private List<String> rowsOfCases() {
    return List.of(
        row("statements x crash points", "all", all("crash-points-", this::points)),
        row("random sequences beside the model", "", all("random-model-", this::model)),
        row(
            "interleavings",
            target("5,000", "20,000 on each version"),
            all("interleavings", this::interleavings)),
        row(
            "ambiguous enqueues with key",
            target("500", "10,000") + ", one task each",
            ambiguous()),
        row(
            "sabotaged variants caught",
            "all",
            all("sabotage", node -> count(node.size()) + " of them")),
        row("archivers, erasers, exports and imports killed", "200", allKills()));
  }

  private List<String> rowsOfLimits() {
    return List.of(
        row("first claim after the server is back", "2 s", all("first-claim-", this::millis)),
        row(
            "dead worker's tasks run again, leased",
            "lease + 5 s",
            all("tasks-of-a-worker-", this::millis)),
        row("memory of a backend, 1,000 tenants", "32 MiB", all("thousand-tenants-", this::memory)),
        row(
            "locks of a claim",
            "250, five for each tenant",
            all("thousand-tenants-", node -> count(node.path("mostLocksOfAClaim")))));
  }

  private String target(String ofEachChange, String ofSoak) {
    return soak ? ofSoak : ofEachChange;
  }

  private String allKills() {
    return Stream.of("archive-kills", "erasure-kills", "transfer-kills")
        .map(name -> name.replace("-kills", "") + ": " + all(name, this::kills))
        .collect(Collectors.joining("; "));
  }

  private String pauses(JsonNode node) {
    return count(node.path("duplicatesExplainedBy").path("PAUSE").asLong());
  }

  private String kills(JsonNode node) {
    return count(node.path("kills"));
  }

  private static String row(String property, String target, String measured) {
    return "| " + property + " | " + target + " | " + measured + " |";
  }

  /** The figures whose names have this prefix, each formatted with the rest of its name. */
  private String all(String prefix, Function<JsonNode, String> text) {
    List<String> found =
        figures.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(prefix))
            .map(entry -> special(entry.getKey(), prefix) + text.apply(entry.getValue()))
            .toList();
    return found.isEmpty() ? NOT_RUN : String.join("; ", found);
  }

  private static String special(String name, String prefix) {
    String rest = name.substring(prefix.length());
    return rest.isEmpty() ? "" : rest + ": ";
  }

  private String campaign(JsonNode node) {
    return "%s, over %s tasks and %s rotations"
        .formatted(
            count(node.path("faults")),
            count(node.path("acknowledged")),
            count(node.path("rotations")));
  }

  private String charges(JsonNode node) {
    return Stream.of("lost", "duplicated", "pending")
        .map(charge -> count(node.path(charge)))
        .collect(Collectors.joining(", "));
  }

  private String rotations(JsonNode node) {
    long kills = 0;
    for (JsonNode each : node.path("kills")) {
      kills += each.asLong();
    }
    return "%s, with %s kills, over %s tasks"
        .formatted(count(node.path("rotations")), count(kills), count(node.path("acknowledged")));
  }

  private String rewrites(JsonNode node) {
    return "%s tables, %s restores by %s and %s steps, over %s tasks"
        .formatted(
            count(node.path("rewrites")),
            count(node.path("restores")),
            node.path("restoredBy").asText(),
            count(node.path("clockSteps")),
            count(node.path("acknowledged")));
  }

  private String failover(JsonNode node) {
    return "%s tasks, %s acknowledged in vain; %s lost of the others, %s contradictions"
        .formatted(
            count(node.path("acknowledged")),
            count(node.path("acknowledgedInVain")),
            count(node.path("lost")),
            count(
                node.path("contradiction").asLong()
                    + node.path("contradictionsOfHistory").asLong()));
  }

  private String points(JsonNode node) {
    return "%s calls in %s scenarios, %s runs"
        .formatted(
            count(node.path("roundTrips")),
            count(node.path("scenarios")),
            count(node.path("runs")));
  }

  private String model(JsonNode node) {
    return "%s of %s commands in all"
        .formatted(count(node.path("sequences")), count(node.path("commands")));
  }

  private String interleavings(JsonNode node) {
    List<String> orders = new ArrayList<>();
    node.properties()
        .forEach(
            entry -> {
              if (entry.getKey().startsWith("orders on ")) {
                String version = entry.getKey().substring("orders on ".length());
                orders.add(version + ": " + count(entry.getValue()));
              }
            });
    return String.join("; ", orders);
  }

  private String ambiguous() {
    long ambiguous = 0;
    for (Map.Entry<String, JsonNode> entry : figures.entrySet()) {
      if (entry.getKey().startsWith("ambiguous-enqueue-")) {
        ambiguous += entry.getValue().path("ambiguous").asLong();
      }
    }
    return ambiguous == 0 ? NOT_RUN : count(ambiguous);
  }

  private String millis(JsonNode node) {
    return "median %s ms, most %s ms"
        .formatted(count(node.path("medianMillis")), count(node.path("mostMillis")));
  }

  private String memory(JsonNode node) {
    return "%.1f MiB of contexts, %.1f MiB private to the process"
        .formatted(
            node.path("mostBytesOfContexts").asLong() / 1_048_576.0,
            node.path("mostPrivateBytes").asLong() / 1_048_576.0);
  }

  private static String count(JsonNode number) {
    return number.isMissingNode() ? "?" : count(number.asLong());
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
