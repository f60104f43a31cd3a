package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Path REAL_TRACE =
      Path.of("..", "..", "shared", "traces", "alibaba-2017-batch-task.csv");
  private static final String HEADER =
      "task_create_time, task_end_time, job_id, task_id,number_of_instances, status, cpus,memory\n";

  @TempDir Path directory;

  @Test
  void everyTaskOfASkewedWorkloadIsDoneOnce() throws IOException {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report = json(demo(database, "--tasks", "20000", "--tenants", "20"));
      assertThat(report.properties().stream().map(field -> field.getKey()))
          .containsExactly(
              "tenants",
              "enqueued",
              "done",
              "dead",
              "attempts",
              "lost",
              "duplicated",
              "pending",
              "rotations",
              "rotationsDue",
              "rotationsPostponed",
              "segmentsOpened",
              "enqueueSeconds",
              "totalSeconds",
              "tasksPerSecond",
              "firstTenSecondsPerSecond",
              "postgres",
              "durable");
      assertThat(report.get("tenants").asInt()).isEqualTo(20);
      assertCounts(report, 20_000, 0);
      assertThat(report.get("firstTenSecondsPerSecond").asInt()).isPositive();
      assertThat(report.get("durable").asBoolean()).isTrue();
      assertThat(report.get("postgres").asText()).matches("\\d+\\.\\d+.*");
    }
  }

  @Test
  void failedRowsEndDeadAndASecondRunCountsOnlyItself() throws IOException {
    Path trace = directory.resolve("trace.csv");
    Files.writeString(
        trace, HEADER + "1,2,3,4,500,Terminated,50,0.1\n-9,,5,6,30,Failed,,\n1,,6,1,0,Waiting,,\n");
    try (TestDatabase database = TestDatabase.create()) {
      for (int run = 0; run < 2; run++) {
        Invocation call = demo(database, "--trace", trace.toString(), "--tenants", "3");
        assertCounts(json(call), 500, 30);
      }
    }
  }

  @Test
  @Tag("exhaustive")
  void theFirstRowsOfTheRealTrace() throws IOException {
    Assumptions.assumeTrue(Files.exists(REAL_TRACE), "the real trace is not on this machine");
    try (TestDatabase database = TestDatabase.create()) {
      Invocation call =
          demo(database, "--trace", REAL_TRACE.toString(), "--limit", "16000", "--tenants", "10");
      assertThat(json(call).get("enqueued").asInt()).isEqualTo(16_000);
      assertThat(call.code()).as(call.err()).isZero();
    }
  }

  @Test
  @Tag("exhaustive")
  void whatIsHotAndWhatIsArchivedIsWhatRan() throws IOException {
    Path trace = directory.resolve("trace.csv");
    Files.writeString(
        trace, HEADER + "1,2,3,4,500,Terminated,50,0.1\n-9,,5,6,30,Failed,,\n1,,6,1,0,Waiting,,\n");
    Path archive = Files.createDirectory(directory.resolve("archive"));
    try (TestDatabase database = TestDatabase.create()) {
      Invocation call =
          demo(
              database,
              "--trace",
              trace.toString(),
              "--tenants",
              "3",
              "--archive",
              archive.toString(),
              "--keep-hot",
              "1s");
      JsonNode report = json(call);
      assertCounts(report, 500, 30);
      assertThat(call.code()).as(call.err()).isZero();
      assertThat(report.get("historyAgrees").asBoolean()).isTrue();
      assertThat(report.get("archivedAttempts").asInt()).isPositive();
      assertThat(report.get("hotAttempts").asInt() + report.get("archivedAttempts").asInt())
          .isEqualTo(560);
      assertThat(report.get("archivedFiles").asInt()).isPositive();
      assertThat(report.get("archivedBytes").asInt()).isPositive();
    }
  }

  @Test
  void archiveThatIsNotThereIsToldBeforeAnythingRuns() {
    Path missing = directory.resolve("missing");
    try (TestDatabase database = TestDatabase.create()) {
      Invocation call = demo(database, "--tasks", "10", "--archive", missing.toString());
      assertThat(call.code()).isEqualTo(2);
      assertThat(call.err()).contains("--archive", missing.toString());
    }
  }

  @Test
  void malformedLineIsNamedBeforeAnythingIsEnqueued() throws IOException {
    Path trace = directory.resolve("trace.csv");
    Files.writeString(trace, HEADER + "1,2,3,4,5,Terminated,,\n1,2,3,4,many,Terminated,,\n");
    try (TestDatabase database = TestDatabase.create()) {
      Invocation call = demo(database, "--trace", trace.toString(), "--tenants", "3");
      assertThat(call.code()).isEqualTo(1);
      assertThat(call.out()).isEmpty();
      assertThat(call.err().lines().toList()).last().asString().contains("line 3", "'many'");
      Invocation lenient =
          demo(database, "--trace", trace.toString(), "--tenants", "3", "--lenient");
      assertCounts(json(lenient), 5, 0);
      assertThat(lenient.err()).containsOnlyOnce("skipped, line 3");
    }
  }

  @Test
  @Tag("exhaustive")
  void summaryIsReadable() {
    try (TestDatabase database = TestDatabase.create()) {
      Invocation call =
          Invocation.of(
              "demo", "--tasks", "100", "--tenants", "2", "--jdbc-url", database.jdbcUrl());
      assertThat(call.code()).as(call.err()).isZero();
      assertThat(call.out()).contains("100 tasks", "PostgreSQL", "none was lost or run twice");
    }
  }

  @Test
  void ordinaryRoleOnTheOldestServerIsEnough() throws Exception {
    try (TestDatabase database = TestDatabase.onVersion(15)) {
      String role = database.name() + "_role";
      database.execute("create role " + role + " login password 'plain'");
      try {
        database.execute("grant create on database " + database.name() + " to " + role);
        String url = database.jdbcUrl().replaceAll("user=.*", "user=" + role + "&password=plain");
        Invocation call =
            Invocation.of("demo", "--json", "--tasks", "5000", "--tenants", "5", "--jdbc-url", url);
        assertCounts(json(call), 5_000, 0);
        assertThat(call.out()).contains("\"postgres\":\"15.");
      } finally {
        database.execute("drop owned by " + role + "; drop role " + role);
      }
    }
  }

  @Test
  @Tag("exhaustive")
  void stoppedDemoLeavesNothingBehind() throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            // It starts sooner: much runs once.
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + directory,
            "-Dot.epg.working-dir=" + Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg"),
            "-cp",
            System.getProperty("java.class.path"),
            RotaCommand.class.getName(),
            "demo",
            "--tenants",
            "5",
            "--tasks",
            "1000000000");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove(DatabaseOptions.URL_VARIABLE);
    Process process = builder.start();
    List<String> said = new ArrayList<>();
    try (var reader = process.inputReader()) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        said.add(line);
        if (line.contains("enqueued")) {
          // Not process.destroy(), which would also close the stream that is read here.
          process.toHandle().destroy();
        }
      }
    }
    assertThat(process.waitFor()).as(String.join("\n", said)).isEqualTo(143);
    assertThat(said).last().asString().contains("stopped");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left.filter(path -> path.getFileName().toString().startsWith("rota-"))).isEmpty();
    }
  }

  private static Invocation demo(TestDatabase database, String... options) {
    List<String> args = new ArrayList<>(List.of("demo", "--json", "--rotate-every", "1s"));
    args.addAll(List.of("--jdbc-url", database.jdbcUrl()));
    args.addAll(List.of(options));
    return Invocation.of(args.toArray(String[]::new));
  }

  private static JsonNode json(Invocation call) throws IOException {
    assertThat(call.out().lines()).as(call.err()).hasSize(1);
    return JSON.readTree(call.out());
  }

  private static void assertCounts(JsonNode report, int done, int dead) {
    assertThat(report.get("enqueued").asInt()).as(report.toString()).isEqualTo(done + dead);
    assertThat(report.get("done").asInt()).isEqualTo(done);
    assertThat(report.get("dead").asInt()).isEqualTo(dead);
    assertThat(report.get("attempts").asInt()).isEqualTo(done + 2 * dead);
    assertThat(report.get("lost").asInt()).isZero();
    assertThat(report.get("duplicated").asInt()).isZero();
    assertThat(report.get("pending").asInt()).isZero();
  }
}
