package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.daemon.RotationDaemon;
import dev.rota.pipeline.Pipeline;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests documents in the middle of their pipeline whose workers are killed. */
@RotaTest
@Tag("exhaustive")
class KilledPipelineTest {

  private static final long LEASE_MILLIS = 1_000;
  private static final int DOCUMENTS = 600;
  private static final Pipeline DOCS = WorkerProcess.DOCS;

  /** Where each document is: pending, running, or through. */
  private static final String AT_A_STAGE =
      "(select id from rota_1.task_init_1 union all select id from rota_1.task_hist_1"
          + " where state in ('running', 'dead') or state = 'done' and kind = 'doc/index') at";

  @Given private RotaFixture fixture;
  @Given private TestDatabase database;
  @Given private Tenant acme;

  @BeforeEach
  void open() throws Exception {
    database.execute("create table passed (task bigint, kind text)");
    Rota rota = fixture.closeLater(Rota.connect(database.jdbcUrl()));
    fixture.closeLater(RotationDaemon.builder(rota).tick(Duration.ofMillis(50)).start());
  }

  @Test
  void eachDocumentIsAtOneStageAndSkipsNone() throws Exception {
    long first = acme.enqueue(DOCS.task("hold"));
    acme.enqueueAll(Collections.nCopies(DOCUMENTS - 1, DOCS.task("{}")));
    killWhileHeld(first);
    int killed = 1;
    for (int passed = DOCUMENTS / 2; passed <= 2 * DOCUMENTS; passed += DOCUMENTS / 2) {
      int enough = passed;
      try (JavaProcess one = launchWorker();
          JavaProcess two = launchWorker()) {
        one.awaitStarted();
        two.awaitStarted();
        Await.atLeast(
            "some stages more are passed",
            () -> database.number("select count(*) from passed"),
            enough);
        one.kill();
        two.kill();
        killed++;
      }
      assertThat(database.number("select count(*) from " + AT_A_STAGE)).isEqualTo(DOCUMENTS);
      assertThat(database.number("select count(distinct id) from " + AT_A_STAGE))
          .isEqualTo(DOCUMENTS);
    }
    assertThat(killed).isEqualTo(5);
    try (JavaProcess last = startWorker()) {
      Await.until("all are through", () -> doneAt("index"), DOCUMENTS);
      assertThat(last.ask("stats")).contains("dead=0");
    }
    for (String stage : DOCS.stages()) {
      assertThat(doneAt(stage)).as("settled at " + stage).isEqualTo(DOCUMENTS);
      assertThat(
              database.number(
                  "select count(distinct task) from passed where kind = 'doc/" + stage + "'"))
          .as("ran at " + stage)
          .isEqualTo(DOCUMENTS);
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 0L)
        .containsEntry(TaskState.RUNNING, 0L)
        .containsEntry(TaskState.DONE, 3L * DOCUMENTS);
    assertThat(acme.history().scanStates().get(TaskState.LOST)).isPositive();
  }

  /** Whatever else a kill happens to meet, this one meets a document in the middle of a stage. */
  private void killWhileHeld(long document) throws Exception {
    try (Connection holder = database.connect()) {
      holder.createStatement().execute("select pg_advisory_lock(" + WorkerProcess.HELD_LOCK + ")");
      try (JavaProcess worker = startWorker()) {
        Await.until(
            "it is held at its first stage",
            () -> database.number("select count(*) from passed where task = " + document) > 0);
        worker.kill();
      }
    }
  }

  private long doneAt(String stage) throws Exception {
    return database.number(
        "select count(*) from rota_1.task_hist_1 where state = 'done' and kind = 'doc/"
            + stage
            + "'");
  }

  private JavaProcess startWorker() throws Exception {
    return JavaProcess.start(WorkerProcess.class, arguments());
  }

  private JavaProcess launchWorker() throws Exception {
    return JavaProcess.launch(WorkerProcess.class, arguments());
  }

  private String[] arguments() {
    return new String[] {database.jdbcUrl(), Long.toString(LEASE_MILLIS)};
  }
}
