package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.ChosenVersions;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests daemons that die while they enqueue due occurrences; the standby daemons take over. */
@Tag("exhaustive")
class KilledDaemonTest {

  private static final int TENANTS = 10;
  private static final int KILLS = 4;
  private static final String SEVEN_DAYS = Long.toString(Duration.ofDays(7).toMillis());

  @ParameterizedTest
  @ChosenVersions
  void everyOccurrenceIsEnqueuedOnceThoughDaemonsAreKilledInTheMiddle(int major) throws Exception {
    List<JavaProcess> daemons = new ArrayList<>();
    try (TestDatabase database = MigratedDatabase.onVersion(major);
        Rota rota = Rota.connect(database.jdbcUrl())) {
      List<Tenant> tenants = new ArrayList<>();
      for (int i = 0; i < TENANTS; i++) {
        Tenant tenant = rota.tenants().register("tenant " + i);
        tenant
            .schedules()
            .add(
                Schedule.every("tick", Duration.ofSeconds(1), NewTask.of("tick", "{}"))
                    .missed(MissedRuns.ALL));
        tenants.add(tenant);
      }
      start(database, daemons);
      for (int kill = 0; kill < KILLS; kill++) {
        killInTheMiddle(database, daemons);
      }
      Await.until(
          "it catches up", () -> database.number("select max(version) from rota.schedule") > 8);
      tenants.forEach(tenant -> tenant.schedules().pause("tick"));
      for (Tenant tenant : tenants) {
        assertThat(database.number(enqueued(tenant))).isEqualTo(database.number(passed(tenant)));
      }
    } finally {
      for (JavaProcess daemon : daemons) {
        daemon.close();
      }
    }
  }

  /** Its transaction has moved schedules on, and waits for a lock to store their tasks. */
  private static void killInTheMiddle(TestDatabase database, List<JavaProcess> daemons)
      throws Exception {
    try (Connection holder = database.connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("lock table rota_1.task_init_1_0 in access exclusive mode");
      Await.until(
          "the leader waits for the table",
          () ->
              database.number(
                      "select count(*) from pg_locks where not granted"
                          + " and relation = 'rota_1.task_init_1_0'::regclass")
                  > 0);
      leader(daemons).kill();
      holder.rollback();
    }
  }

  private static JavaProcess leader(List<JavaProcess> daemons) throws Exception {
    for (JavaProcess daemon : daemons) {
      if (daemon.isAlive() && daemon.ask("").equals("leading")) {
        return daemon;
      }
    }
    throw new AssertionError("none of the daemons leads");
  }

  /** One more than are killed, which start side by side. */
  private static void start(TestDatabase database, List<JavaProcess> daemons) throws Exception {
    for (int i = 0; i <= KILLS; i++) {
      daemons.add(JavaProcess.launch(DaemonProcess.class, database.jdbcUrl(), SEVEN_DAYS));
    }
    for (JavaProcess daemon : daemons) {
      daemon.awaitStarted();
    }
  }

  private static String enqueued(Tenant tenant) {
    return "select count(*) from rota_%1$d.task_init_%1$d_0".formatted(tenant.number());
  }

  /** The first occurrence is a second after the schedule was added. */
  private static String passed(Tenant tenant) {
    return "select round(extract(epoch from planned_at - created_at)) - 1 from rota.schedule"
        + " where tenant = "
        + tenant.number();
  }
}
