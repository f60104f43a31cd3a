package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.demo.Workflow;
import dev.rota.demo.WorkflowFiles;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the demo of a workflow. */
@Tag("exhaustive")
class WorkflowDemoTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir Path directory;

  @Test
  void copiesOfASmallWorkflow() throws IOException {
    try (TestDatabase database = TestDatabase.create()) {
      String file = WorkflowFiles.small(directory).toString();
      JsonNode report = json(demo(database, file, "--copies", "60", "--tenants", "7", "--json"));
      assertThat(report.properties().stream().map(Map.Entry::getKey))
          .containsExactly(
              "nodes", "edges", "done", "violated", "lost", "duplicated", "totalSeconds");
      assertThat(counts(report)).containsExactly(300, 300, 300, 0, 0, 0);
      Invocation summary = demo(database, file, "--tenants", "1");
      assertThat(summary.code()).as(summary.err()).isZero();
      assertThat(summary.out()).contains("5 tasks", "5 dependencies", "Verified");
    }
  }

  @Test
  void aFewCopiesOfEachRealOne() throws IOException {
    List<Path> files = WorkflowFiles.real();
    try (TestDatabase database = TestDatabase.create()) {
      for (Path file : files) {
        Workflow workflow = Workflow.read(file);
        int nodes = 5 * workflow.steps().size();
        assertThat(
                counts(
                    json(
                        demo(
                            database,
                            file.toString(),
                            "--copies",
                            "5",
                            "--tenants",
                            "3",
                            "--json"))))
            .containsExactly(nodes, 5 * workflow.edges(), nodes, 0, 0, 0);
      }
    }
  }

  @Test
  void mistakesAreNamedBeforeAnythingIsEnqueued() throws IOException {
    Path broken = Files.writeString(directory.resolve("broken.json"), "{}");
    Path cycle =
        Files.writeString(
            directory.resolve("cycle.json"),
            "{\"workflow\":{\"tasks\":[{\"name\":\"a\",\"parents\":[\"a\"]}]}}");
    try (TestDatabase database = TestDatabase.create()) {
      assertFails(demo(database, "nowhere.json"), 2, "nowhere.json is not there");
      assertFails(demo(database, broken.toString()), 1, "broken.json is malformed");
      assertFails(demo(database, cycle.toString()), 1, "'a' -> 'a'");
      assertFails(demo(database, cycle.toString(), "--copies", "0"), 2, "--copies is 0");
      assertFails(demo(database, cycle.toString(), "--limit", "5"), 2, "--workflow excludes");
    }
    assertFails(Invocation.of("demo", "--copies", "5"), 2, "--copies needs --workflow");
  }

  private static void assertFails(Invocation call, int code, String message) {
    assertThat(call.code()).as(call.err()).isEqualTo(code);
    assertThat(call.err()).contains(message);
    assertThat(call.out()).isEmpty();
  }

  private static Invocation demo(TestDatabase database, String file, String... options) {
    List<String> all = new ArrayList<>(List.of("demo", "--workflow", file));
    all.addAll(List.of("--jdbc-url", database.jdbcUrl()));
    all.addAll(Arrays.asList(options));
    return Invocation.of(all.toArray(String[]::new));
  }

  private static JsonNode json(Invocation call) throws IOException {
    assertThat(call.code()).as(call.all()).isZero();
    return JSON.readTree(call.out());
  }

  private static List<Integer> counts(JsonNode report) {
    return report.properties().stream().limit(6).map(field -> field.getValue().asInt()).toList();
  }
}
