package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.ControlledServer;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import dev.rota.processes.JavaProcess;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests by a table that handlers write that no cap is ever exceeded while workers are killed. */
@Alone
@CrashTest
class CapsUnderKillsTest {

  private static final int WORKERS = 8;
  private static final int TENANTS = Integer.getInteger("rota.caps.tenants", 6);
  private static final Map<String, Integer> KINDS =
      new TreeMap<>(Map.of("mail", 5, "index", 8, "push", 3, "report", 2, "sync", 4));
  private static final int CAP_OF_ALL = 12;
  private static final int CAP_OF_TENANT = Math.max(1, 24 / TENANTS);
  private static final int KILLS = Integer.getInteger("rota.caps.kills", CrashRun.size(20, 100));
  private static final int TASKS_A_KILL = Math.max(1, 1_200 / TENANTS);
  private static final String LEASE = "2000";
  private static final int PATIENCE_SECONDS = 180;

  private static final String TABLES =
      """
      create table capped_run (id bigint generated always as identity primary key, worker text,
        tenant text, kind text, begun timestamptz, ended timestamptz);
      create table killed_worker (worker text, at timestamptz)""";

  /** The most that ran at a moment, of each scope. A killed worker ran its tasks until its kill. */
  private static final String MOST =
      """
      with run as (
             select r.tenant, r.kind, r.begun,
                    coalesce(r.ended, greatest(r.begun, k.at), clock_timestamp()) as ended
               from capped_run r left join killed_worker k on k.worker = r.worker),
           step as (
             select s.scope, m.at, m.step
               from run r,
                    lateral (values ('all'), (r.kind), (r.tenant)) s (scope),
                    lateral (values (r.begun, 1), (r.ended, -1)) m (at, step)),
           moment as (
             select scope, sum(step) over (partition by scope order by at, step) as running
               from step)
      select scope || ' ' || max(running) from moment group by scope order by scope""";

  private final Map<String, JavaProcess> workers = new LinkedHashMap<>();
  private final Random random = new Random(CrashRun.seed());
  private int started;

  @Test
  void noCapIsExceeded() throws Exception {
    try (ControlledServer server = ControlledServer.start(18);
        Rota rota = Rota.connect(server.jdbcUrl())) {
      Map<String, Integer> most = run(server, rota, false);
      long leaked =
          server.number(
              "select count(*) from rota.share where worker not in (select id from rota.worker)");
      CrashRun.record("caps-under-kills", Map.of("kills", KILLS, "most", most.toString()));
      assertThat(leaked).isZero();
      caps().forEach((scope, cap) -> assertThat(most.get(scope)).as(scope).isBetween(1, cap));
    }
  }

  /** Otherwise the test above would prove nothing. */
  @Test
  void aSumThatIsReadWithoutTheLockIsCaught() throws Exception {
    try (ControlledServer server = ControlledServer.start(18);
        Rota rota = Rota.connect(server.jdbcUrl())) {
      assertThat(run(server, rota, true))
          .as("more of a scope than its cap, of %s", caps())
          .matches(CapsUnderKillsTest::isExceeded);
    }
  }

  private static boolean isExceeded(Map<String, Integer> most) {
    return caps().entrySet().stream()
        .anyMatch(cap -> most.getOrDefault(cap.getKey(), 0) > cap.getValue());
  }

  private static Map<String, Integer> caps() {
    Map<String, Integer> caps = new LinkedHashMap<>(KINDS);
    caps.put("all", CAP_OF_ALL);
    IntStream.range(0, TENANTS).forEach(i -> caps.put("tenant " + i, CAP_OF_TENANT));
    return caps;
  }

  /** Runs until the last kill; without the lock, until a cap is exceeded. */
  private Map<String, Integer> run(ControlledServer server, Rota rota, boolean unlocked)
      throws Exception {
    rota.admin().migrate();
    server.execute(TABLES);
    List<Tenant> tenants =
        rota.tenants()
            .registerAll(IntStream.range(0, TENANTS).mapToObj(i -> "tenant " + i).toList());
    setCaps(rota.controls());
    feed(tenants);
    JavaProcess daemon = JavaProcess.start(QuickDaemon.class, server.jdbcUrl());
    try (daemon) {
      for (int i = 0; i < WORKERS; i++) {
        start(server, unlocked);
      }
      for (int i = 0; i < KILLS && !(unlocked && isExceeded(most(server))); i++) {
        feed(tenants);
        kill(server);
        start(server, unlocked);
      }
    } finally {
      for (JavaProcess worker : workers.values()) {
        worker.close();
      }
    }
    return most(server);
  }

  /** More tasks than run until the next kill: caps count only while tasks wait for them. */
  private static void feed(List<Tenant> tenants) {
    for (Tenant tenant : tenants) {
      for (String kind : KINDS.keySet()) {
        tenant.enqueueAll(Collections.nCopies(TASKS_A_KILL, NewTask.of(kind, "{}")));
      }
    }
  }

  private static void setCaps(Controls controls) {
    controls.changeLimits(Scope.everything(), limits -> limits.concurrency(CAP_OF_ALL));
    KINDS.forEach(
        (kind, cap) -> controls.changeLimits(Scope.kind(kind), limits -> limits.concurrency(cap)));
    controls.changeLimits(Scope.plan("default"), limits -> limits.concurrency(CAP_OF_TENANT));
  }

  private void start(ControlledServer server, boolean unlocked) throws Exception {
    String name = "worker " + started++;
    List<String> arguments =
        new ArrayList<>(List.of(server.jdbcUrl(), name, LEASE, String.valueOf(unlocked)));
    arguments.addAll(KINDS.keySet());
    workers.put(name, JavaProcess.start(CappedWorker.class, arguments.toArray(String[]::new)));
  }

  /** Kills a worker after more tasks have run. */
  private void kill(ControlledServer server) throws Exception {
    long before = server.number("select count(*) from capped_run");
    Await.until(
        "more tasks run",
        Duration.ofSeconds(PATIENCE_SECONDS),
        () -> server.number("select count(*) from capped_run") > before + 20);
    List<String> names = List.copyOf(workers.keySet());
    String victim = names.get(random.nextInt(names.size()));
    JavaProcess process = workers.remove(victim);
    assertThat(process.isAlive()).as(victim + " is alive before its kill").isTrue();
    server.execute("insert into killed_worker values ('" + victim + "', clock_timestamp())");
    process.close();
  }

  private static Map<String, Integer> most(ControlledServer server) throws Exception {
    Map<String, Integer> most = new LinkedHashMap<>();
    for (String row : server.texts(MOST)) {
      int space = String.valueOf(row).lastIndexOf(' ');
      most.put(
          String.valueOf(row).substring(0, space),
          Integer.valueOf(String.valueOf(row).substring(space + 1)));
    }
    System.out.println("most at a moment: " + most);
    return most;
  }
}
