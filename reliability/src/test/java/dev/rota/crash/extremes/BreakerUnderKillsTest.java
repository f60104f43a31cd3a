package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.ControlledServer;
import dev.rota.daemon.RotationDaemon;
import dev.rota.limits.Breaker;
import dev.rota.limits.Scope;
import dev.rota.processes.JavaProcess;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests that a breaker outlives the processes that it trips in: each is killed when its pause is
 * written.
 */
@Alone
@CrashTest
class BreakerUnderKillsTest {

  private static final int WORKERS = 3;
  private static final int TRIPS = CrashRun.size(6, 30);
  private static final int TASKS = 3_000;
  private static final String LEASE = "2000";
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Breaker BREAKER =
      Breaker.at(0.5).of(10).pauseFor(Duration.ofSeconds(1)).probes(3);

  private static final String TABLES =
      """
      create table service (down boolean);
      insert into service values (true);
      create table call (id bigint generated always as identity, task bigint, refused boolean);
      create table trip (id bigint generated always as identity, process text);
      create function logged() returns trigger language plpgsql as $$
        begin insert into trip (process) values (current_setting('application_name'));
        return null; end $$;
      create trigger logged after insert or update on rota.kind_pause
        for each row execute function logged()""";

  private final Map<String, JavaProcess> workers = new HashMap<>();
  private int started;

  @Test
  void theKindIsTriedWhoeverIsKilled() throws Exception {
    try (ControlledServer server = ControlledServer.start(18);
        Rota rota = Rota.connect(server.jdbcUrl())) {
      rota.admin().migrate();
      server.execute(TABLES);
      rota.controls().changeLimits(Scope.kind("charge"), limits -> limits.breaker(BREAKER));
      rota.tenants()
          .register("acme")
          .enqueueAll(Collections.nCopies(TASKS, NewTask.of("charge", "{}")));
      try (RotationDaemon daemon = RotationDaemon.builder(rota).start()) {
        run(server);
        assertThat(daemon).isNotNull();
      }
    }
  }

  private void run(ControlledServer server) throws Exception {
    try {
      for (int i = 0; i < WORKERS; i++) {
        start(server);
      }
      for (int trip = 1; trip <= TRIPS; trip++) {
        killWhoTripped(server, trip);
        start(server);
      }
      server.execute("update service set down = false");
      Await.until(
          "all done",
          PATIENCE,
          () -> server.number("select count(distinct task) from call where not refused"),
          TASKS);
      check(server);
    } finally {
      for (JavaProcess worker : workers.values()) {
        worker.close();
      }
    }
  }

  private void start(ControlledServer server) throws Exception {
    String name = "worker" + started++;
    String url = server.jdbcUrl();
    String named = url + (url.contains("?") ? "&" : "?") + "ApplicationName=" + name;
    workers.put(name, JavaProcess.start(RefusedWorker.class, named, LEASE));
  }

  private void killWhoTripped(ControlledServer server, int trip) throws Exception {
    Await.until("trip " + trip, PATIENCE, () -> server.number("select count(*) from trip") >= trip);
    String name = server.texts("select process from trip where id = " + trip).get(0);
    JavaProcess victim = workers.remove(name);
    if (victim != null) {
      victim.close();
    }
  }

  private static void check(ControlledServer server) throws Exception {
    long refused = server.number("select count(*) from call where refused");
    long trips = server.number("select count(*) from trip");
    long most =
        BREAKER.minimum()
            + (long) WORKERS * RefusedWorker.HANDLERS
            + (trips - 1) * BREAKER.probes();
    CrashRun.record(
        "breaker-under-kills", Map.of("trips", trips, "refused", refused, "most", most));
    System.out.printf("trips %d, refused %d of at most %d%n", trips, refused, most);
    assertThat(refused).isBetween((long) BREAKER.minimum(), most);
    Await.until("closed", () -> server.number("select count(*) from rota.kind_pause"), 0);
  }
}
