package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs two daemons and three workers, each in a separate process, on one database. */
@Tag("exhaustive")
class ManyProcessesTest {

  private static final int TENANTS = 40;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @Test
  void everyTaskIsSettledOnceOverFiftyRotations() throws Exception {
    assertEveryTaskIsSettledOnce(50);
  }

  @Test
  @Tag("long")
  void everyTaskIsSettledOnceOverTwoHundredRotations() throws Exception {
    assertEveryTaskIsSettledOnce(200);
  }

  private static void assertEveryTaskIsSettledOnce(int rotations) throws Exception {
    try (TestDatabase database = MigratedDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      List<Tenant> tenants = rota.tenants().registerAll(names());
      List<JavaProcess> processes = new ArrayList<>();
      try {
        for (int i = 0; i < 2; i++) {
          processes.add(JavaProcess.launch(DaemonProcess.class, database.jdbcUrl(), "1000"));
        }
        for (int i = 0; i < 3; i++) {
          processes.add(JavaProcess.launch(WorkerProcess.class, database.jdbcUrl(), "30000"));
        }
        for (JavaProcess process : processes) {
          process.awaitStarted();
        }
        long enqueued = produceUntilRotated(database, tenants, rotations);
        Await.atLeast("all tasks are settled", () -> database.number(settled(tenants)), enqueued);

        assertThat(database.number(settled(tenants))).isEqualTo(enqueued);
        assertThat(database.number(distinct(tenants))).isEqualTo(enqueued);
        assertThat(database.number(left(tenants))).isZero();
      } finally {
        for (JavaProcess process : processes) {
          process.close();
        }
      }
    }
  }

  private static List<String> names() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < TENANTS; i++) {
      names.add("tenant " + i);
    }
    return names;
  }

  private static long produceUntilRotated(
      TestDatabase database, List<Tenant> tenants, int rotations) throws Exception {
    long enqueued = 0;
    long since = System.nanoTime();
    while (database.number("select sum(rotations) from rota.tenant") < rotations) {
      for (Tenant tenant : tenants) {
        enqueued += tenant.enqueueAll(Collections.nCopies(20, NewTask.of("quick", "{}"))).size();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(PATIENCE);
    }
    return enqueued;
  }

  private static String settled(List<Tenant> tenants) {
    return "select count(*) from (" + states(tenants) + ") t where state = 'done'";
  }

  private static String distinct(List<Tenant> tenants) {
    return "select count(distinct id) from (" + states(tenants) + ") t where state = 'done'";
  }

  private static String left(List<Tenant> tenants) {
    return "select count(*) from (" + states(tenants) + ") t where state <> 'done'";
  }

  private static String states(List<Tenant> tenants) {
    List<String> views = new ArrayList<>();
    for (Tenant tenant : tenants) {
      int n = tenant.number();
      views.add("select id, state from rota_%1$d.task_hist_%1$d".formatted(n));
      views.add("select id, state from rota_%1$d.task_init_%1$d".formatted(n));
    }
    return String.join(" union all ", views);
  }
}
