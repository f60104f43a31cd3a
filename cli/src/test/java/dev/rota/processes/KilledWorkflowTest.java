package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.daemon.RotationDaemon;
import dev.rota.demo.Workflow;
import dev.rota.demo.WorkflowFiles;
import dev.rota.graph.NodeState;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs graphs whose workers are killed at random: every dependency is respected, no task is lost.
 */
@Tag("exhaustive")
class KilledWorkflowTest {

  private static final String LEASE_MILLIS = "2000";
  private static final int WORKERS = 2;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @TempDir Path directory;

  @Test
  void copiesOfASmallWorkflow() throws Exception {
    assertThat(run(WorkflowFiles.small(directory), 200, 5, new Pace(30, 400)))
        .as("attempts that were lost")
        .isPositive();
  }

  /** How many copies of each is said by the system property {@code rota.workflow.copies}. */
  @Test
  @Tag("long")
  void manyCopiesOfTheRealOnes() throws Exception {
    int copies = Integer.getInteger("rota.workflow.copies", 1_000);
    for (Path file : WorkflowFiles.real()) {
      run(file, copies, 100, new Pace(0, 2_000));
    }
  }

  /**
   * How fast it goes.
   *
   * @param workMillis how long each step takes
   * @param pauseMillis how long it is from one kill to the next, on average
   */
  private record Pace(int workMillis, int pauseMillis) {}

  /** Returns how many attempts were lost with the workers that were killed. */
  private static long run(Path file, int copies, int tenants, Pace pace) throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Workflow workflow = Workflow.read(file);
    int nodes = copies * workflow.steps().size();
    long startedAt = System.nanoTime();
    int kills = 0;
    try (TestDatabase database = MigratedDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      List<Tenant> all = prepare(database, rota, tenants);
      List<JavaProcess> workers = new ArrayList<>();
      try (RotationDaemon daemon =
          RotationDaemon.builder(rota).tick(Duration.ofMillis(50)).start()) {
        for (int i = 0; i < WORKERS; i++) {
          workers.add(launch(database, file, pace));
        }
        for (JavaProcess worker : workers) {
          worker.awaitStarted();
        }
        Future<?> enqueued = enqueue(workflow, copies, all);
        Await.until("steps begin", () -> database.number("select count(*) from begun") > 0);
        while (done(all) < nodes) {
          if (enqueued.isDone()) {
            enqueued.get();
          }
          // Nothing is waited for: this is when the next one happens to be killed.
          LockSupport.parkNanos(
              (pace.pauseMillis / 2 + random.nextInt(pace.pauseMillis)) * 1_000_000L);
          int victim = random.nextInt(WORKERS);
          workers.get(victim).kill();
          workers.set(victim, launch(database, file, pace));
          workers.get(victim).awaitStarted();
          kills++;
          assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(PATIENCE);
        }
        verify(database, all, nodes);
      } finally {
        for (JavaProcess worker : workers) {
          worker.close();
        }
      }
      String lost = union(all, "select id from rota_%1$d.task_hist_%1$d where state = 'lost'");
      long lostAttempts = database.number("select count(*) from (" + lost + ") l");
      System.out.printf(
          "%s: %d nodes, %d edges, %d kills, %d attempts lost, %d begun, %.1f s%n",
          file.getFileName(),
          nodes,
          copies * workflow.edges(),
          kills,
          lostAttempts,
          database.number("select count(*) from begun"),
          (System.nanoTime() - startedAt) / 1e9);
      return lostAttempts;
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  /** Kills begin meanwhile: on a busy machine the workers could be done with the others before. */
  private static Future<?> enqueue(Workflow workflow, int copies, List<Tenant> tenants) {
    return CompletableFuture.runAsync(
        () -> {
          for (int copy = 0; copy < copies; copy++) {
            Tenant tenant = tenants.get(copy % tenants.size());
            tenant.graphs().enqueue(workflow.graph(WorkflowProcess.KIND, copy));
          }
        },
        work -> new Thread(work, "enqueues").start());
  }

  private static List<Tenant> prepare(TestDatabase database, Rota rota, int tenants)
      throws Exception {
    database.execute(
        "create table begun (copy int, step int, early int);"
            + " create table ended (copy int, step int);"
            + " create index on ended (copy, step)");
    return rota.tenants()
        .registerAll(IntStream.range(0, tenants).mapToObj(i -> "tenant " + i).toList());
  }

  private static JavaProcess launch(TestDatabase database, Path file, Pace pace) throws Exception {
    return JavaProcess.launch(
        WorkflowProcess.class,
        database.jdbcUrl(),
        LEASE_MILLIS,
        file.toString(),
        Integer.toString(pace.workMillis));
  }

  private static void verify(TestDatabase database, List<Tenant> tenants, int nodes)
      throws Exception {
    assertThat(database.number("select sum(early) from begun"))
        .as("dependencies whose child began before the parent had ended")
        .isZero();
    assertThat(database.number("select count(*) from (select distinct copy, step from ended) e"))
        .as("steps that ended")
        .isEqualTo(nodes);
    String done = union(tenants, "select id from rota_%1$d.task_hist_%1$d where state = 'done'");
    assertThat(database.number("select count(*) from (" + done + ") d")).isEqualTo(nodes);
    assertThat(database.number("select count(distinct id) from (" + done + ") d"))
        .as("tasks that are done once")
        .isEqualTo(nodes);
    for (String left : List.of("task_held", "task_init", "task_spread")) {
      String rows = union(tenants, "select id from rota_%1$d." + left + "_%1$d");
      assertThat(database.number("select count(*) from (" + rows + ") r")).as(left).isZero();
    }
  }

  private static long done(List<Tenant> tenants) {
    return tenants.stream()
        .flatMap(tenant -> tenant.graphs().list(10_000).stream())
        .mapToLong(graph -> graph.count(NodeState.DONE))
        .sum();
  }

  private static String union(List<Tenant> tenants, String query) {
    return String.join(
        " union all ", tenants.stream().map(tenant -> query.formatted(tenant.number())).toList());
  }
}
