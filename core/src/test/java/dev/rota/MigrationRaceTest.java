package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests several instances of an application that start at once, each of which migrates. */
@Tag("exhaustive")
class MigrationRaceTest {

  private static final int THREADS = 5;
  private static final int PROCESSES = 3;

  private TestDatabase database;

  @BeforeEach
  void open() {
    database = TestDatabase.create();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @RepeatedTest(2)
  void severalThreadsMigrateAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      CyclicBarrier start = new CyclicBarrier(THREADS);
      List<Callable<Void>> migrations = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        migrations.add(
            () -> {
              try (Rota rota = Rota.builder(database.jdbcUrl()).poolSize(2).build()) {
                start.await(30, TimeUnit.SECONDS);
                rota.admin().migrate();
                rota.tenants().register("acme");
              }
              return null;
            });
      }
      for (Future<Void> migration : threads.invokeAll(migrations)) {
        migration.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertMigratedOnce();
  }

  @Test
  void threeProcessesMigrateAtOnce() throws Exception {
    List<Process> processes = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(start());
      }
      for (Process process : processes) {
        assertThat(reader(process).readLine()).isEqualTo(MigratingProcess.READY);
      }
      for (Process process : processes) {
        Writer writer = process.outputWriter(StandardCharsets.UTF_8);
        writer.write("go\n");
        writer.flush();
      }
      for (Process process : processes) {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
    assertMigratedOnce();
  }

  private Process start() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            MigratingProcess.class.getName(),
            database.jdbcUrl())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static BufferedReader reader(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private void assertMigratedOnce() throws SQLException {
    try (Connection connection = database.connect()) {
      assertThat(
              RotaFixture.texts(
                  connection,
                  "select version from rota.schema_history where success and type = 'SQL'"))
          .doesNotHaveDuplicates()
          .contains("1");
      assertThat(RotaFixture.texts(connection, "select seq from rota.ledger_segment"))
          .containsExactly("1");
      assertThat(RotaFixture.texts(connection, "select name from rota.tenant"))
          .containsExactly("acme");
    }
  }
}
