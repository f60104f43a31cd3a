package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.testing.Documents;
import dev.rota.testing.TestDatabase;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the examples in docs/schedules.md are these compiled ones, and run. */
class SchedulesDocumentTest {

  private static final String DOCUMENT = "docs/schedules.md";
  private static final String EXAMPLE =
      "partition-manager/src/test/java/dev/rota/docs/SchedulesExample.java";

  @Test
  void showsTheCompiledExamples() {
    List<String> shown = Documents.blocks(DOCUMENT, "java");
    for (String region : List.of("declare", "run", "operate", "adhoc")) {
      assertThat(shown).contains(Documents.region(EXAMPLE, region));
    }
    assertThat(shown).hasSize(4);
  }

  @Test
  @Tag("exhaustive")
  void examplesRun() throws Exception {
    CountDownLatch ran = new CountDownLatch(3);
    Set<String> said = ConcurrentHashMap.newKeySet();
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      SchedulesExample example =
          new SchedulesExample(
              text -> {
                said.add(text);
                ran.countDown();
              },
              () -> assertThat(await(ran)).isTrue());
      example.declare(rota);
      example.declare(rota);
      // As if two days had gone by.
      database.execute(
          "update rota.schedule set planned_at = planned_at - interval '2 days',"
              + " run_at = run_at - interval '2 days'");
      Tenant acme = rota.tenants().get("acme");
      acme.schedules().run("poll");
      example.run(rota);
      assertThat(said).containsExactlyInAnyOrder("{\"of\":\"day\"}", "polled");

      long task = example.operate(acme);
      assertThat(acme.history().scanAttempts(task)).hasSize(1);
      SchedulesExample.everyMinuteAndAHalf(acme);
      assertThat(acme.schedules().list())
          .extracting(info -> info.schedule().name())
          .containsExactly("nightly report", "refresh");
    }
  }

  /** What the table calls the ad hoc query runs as well. */
  @Test
  void theAdHocQueryRuns() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      List<String> statements = Documents.blocks(DOCUMENT, "sql adhoc");
      assertThat(statements).hasSize(1);
      database.execute(statements.get(0));
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
