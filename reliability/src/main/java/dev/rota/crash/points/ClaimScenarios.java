package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.repeatable;

import dev.rota.Batch;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.control.TaskFilter;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.Settler;
import dev.rota.internal.worker.ManualWorker;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** All ways to claim, and all fates of claimed tasks. */
final class ClaimScenarios {

  private static final Pipeline DOCS = Pipeline.named("doc").stage("fetch").stage("index").build();

  private ClaimScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("claim", ClaimScenarios::claim),
        repeatable("claim from two lanes", ClaimScenarios::claimFromLanes),
        repeatable("claim prepared, from two tenants", ClaimScenarios::claimPrepared),
        repeatable("claim and forget", ClaimScenarios::claimAndForget),
        repeatable("run in the claim's transaction", ClaimScenarios::transactional),
        repeatable("settle a batch that succeeded", ClaimScenarios::settle),
        repeatable("settle all kinds of ends", ClaimScenarios::settleMixed),
        repeatable("settle in parts", ClaimScenarios::settleInParts),
        repeatable("settle a parent", ClaimScenarios::settleParent),
        repeatable("settle a parent that died", ClaimScenarios::settleDeadParent),
        repeatable("move to the next stage", environment -> move(environment, StageResult.next())),
        repeatable(
            "move to the next stage later",
            environment -> move(environment, StageResult.next().after(Duration.ofHours(1)))),
        repeatable("settle what was asked to end", ClaimScenarios::settleAsked),
        repeatable("hand a batch back", ClaimScenarios::handBack),
        repeatable("sign off with an open batch", ClaimScenarios::signOff));
  }

  private static CrashScenario.Act claim(ScenarioEnvironment environment) {
    environment.enqueue("a", "b", "c");
    return () -> settle(environment.tapped().claim(10));
  }

  private static void settle(Batch batch) {
    batch.settle();
  }

  private static CrashScenario.Act claimFromLanes(ScenarioEnvironment environment) {
    environment.enqueue("a", "b");
    environment.expect("done", "c");
    environment.sound().enqueue(ScenarioEnvironment.task("c").priority(7));
    return () -> settle(environment.tapped().claim(10));
  }

  private static CrashScenario.Act claimPrepared(ScenarioEnvironment environment) {
    Kernel kernel = DefaultRota.kernelOf(environment.rota());
    Tenant second = environment.rota().tenants().register(environment.newName());
    Claimer claimer = kernel.claimers().claimer(Set.of(ScenarioEnvironment.KIND), BatchEnd.OPEN);
    List<ClaimRequest> requests =
        List.of(request(kernel, environment.tapped()), request(kernel, second));
    for (int use = 0; use < 3; use++) {
      second.enqueue(ScenarioEnvironment.task("warm"));
      settle(kernel, claimer, requests);
    }
    environment.enqueue("a", "b");
    second.enqueue(ScenarioEnvironment.task("c"));
    return () -> settle(kernel, claimer, requests);
  }

  private static void settle(Kernel kernel, Claimer claimer, List<ClaimRequest> requests) {
    List<Settlement> settlements = new ArrayList<>();
    claimer
        .claim(requests)
        .forEach(claim -> settlements.add(new Settlement(claim.batch(), List.of(), true)));
    settlements.removeIf(settlement -> settlement.batch().tasks().isEmpty());
    var unused = kernel.settler().settle(settlements);
  }

  private static ClaimRequest request(Kernel kernel, Tenant tenant) {
    return new ClaimRequest(
        kernel.registry().get(tenant.number()), 10, ClaimRequest.ALL_SLOTS, true);
  }

  /**
   * Claims and forgets. Whatever breaks, history shows the tasks as done: either here, or because
   * others claim the rest.
   */
  private static CrashScenario.Act claimAndForget(ScenarioEnvironment environment) {
    Kernel kernel = DefaultRota.kernelOf(environment.rota());
    environment.enqueue("a", "b");
    Claimer claimer = kernel.claimers().claimer(Set.of(ScenarioEnvironment.KIND), BatchEnd.SETTLED);
    return () -> {
      var unused = claimer.claim(List.of(request(kernel, environment.tapped())));
    };
  }

  /** Runs in the claim's transaction: each effect is in the table as often as its task is done. */
  private static CrashScenario.Act transactional(ScenarioEnvironment environment)
      throws SQLException {
    environment.enqueue("a", "b");
    environment.execute("create table rota_%1$d.effect (label text not null)");
    String table = "rota_" + environment.sound().number() + ".effect";
    ManualWorker worker =
        environment.closeLater(
            new ManualWorker(
                environment.rota(),
                ScenarioEnvironment.KIND,
                (task, connection) -> insertEffect(connection, table, task)));
    CrashScenario.Act visit =
        () -> {
          environment.execute(
              "update rota_%1$d.task_wait_%1$d set run_at = now() - interval '1 second'");
          environment.bench().daemon().perform("look for due tasks");
          worker.visit(environment.tapped().number());
        };
    return visit.until(
        "each effect once",
        () ->
            environment.is(
                "a,b", "select string_agg(label, ',' order by label) from rota_%1$d.effect"));
  }

  private static void insertEffect(Connection connection, String table, Task task)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("insert into " + table + " values ('" + task.payload() + "')");
      if (task.attempt() == 1 && task.payload().equals("b")) {
        throw new IllegalStateException("the first attempt fails, and its effect with it");
      }
    }
  }

  private static CrashScenario.Act settle(ScenarioEnvironment environment) {
    environment.enqueue("a", "b", "c");
    Batch batch = environment.tapped().claim(10);
    return () -> settle(batch);
  }

  private static CrashScenario.Act settleMixed(ScenarioEnvironment environment) {
    environment.enqueue("done", "failed", "released", "late");
    environment.expect("dead", "dead");
    environment.sound().enqueue(ScenarioEnvironment.task("dead"));
    Batch batch = environment.tapped().claim(10);
    batch.fail(find(batch, "failed"), "again", Duration.ZERO);
    batch.fail(find(batch, "late"), "again", Duration.ofHours(1));
    batch.dead(find(batch, "dead"), "no more");
    batch.release(find(batch, "released"));
    return () -> settle(batch);
  }

  private static Task find(Batch batch, String label) {
    return batch.tasks().stream()
        .filter(task -> task.payload().equals(label))
        .findFirst()
        .orElseThrow();
  }

  /** Settles in parts, as a worker does with a batch that takes longer than a second. */
  private static CrashScenario.Act settleInParts(ScenarioEnvironment environment) {
    Kernel kernel = DefaultRota.kernelOf(environment.rota());
    environment.enqueue("a", "b", "c");
    Claimer claimer = kernel.claimers().claimer(Set.of(ScenarioEnvironment.KIND), BatchEnd.OPEN);
    var batch = claimer.claim(List.of(request(kernel, environment.tapped()))).get(0).batch();
    var first = Outcome.done(batch.tasks().get(0));
    Settler settler = kernel.settler();
    return () -> {
      var unused = settler.settle(List.of(new Settlement(batch, List.of(first), false)));
      var unusedRest = settler.settle(List.of(new Settlement(batch, List.of(), true)));
    };
  }

  private static CrashScenario.Act settleParent(ScenarioEnvironment environment) {
    environment.expect("done", "a", "b", "c", "d");
    environment.sound().graphs().enqueue(EnqueueScenarios.diamond());
    Batch batch = environment.tapped().claim(10);
    return () -> settle(batch);
  }

  private static CrashScenario.Act settleDeadParent(ScenarioEnvironment environment) {
    environment.expect("cancelled", "b", "c", "d");
    environment.expect("dead", "a");
    environment.sound().graphs().enqueue(EnqueueScenarios.diamond());
    Batch batch = environment.tapped().claim(10);
    batch.dead(batch.tasks().get(0), "broken");
    return () -> settle(batch);
  }

  private static CrashScenario.Act move(ScenarioEnvironment environment, StageResult result) {
    // One end at each of the two stages.
    environment.expect("done,done", "a");
    environment.sound().enqueue(DOCS.task("a"));
    Batch batch = environment.tapped().claim(10);
    batch.move(batch.tasks().get(0), DOCS, result);
    return () -> settle(batch);
  }

  private static CrashScenario.Act settleAsked(ScenarioEnvironment environment) {
    environment.enqueue("a");
    environment.expect("cancelled", "b");
    environment.sound().enqueue(ScenarioEnvironment.task("b"));
    Batch batch = environment.tapped().claim(10);
    environment.sound().control().requestCancel(TaskFilter.all(), "not wanted");
    batch.fail(find(batch, "b"), "stopped", Duration.ZERO);
    return () -> settle(batch);
  }

  private static CrashScenario.Act handBack(ScenarioEnvironment environment) {
    environment.enqueue("a", "b");
    Batch batch = environment.tapped().claim(10);
    return batch::close;
  }

  private static CrashScenario.Act signOff(ScenarioEnvironment environment) {
    environment.enqueue("a", "b");
    Batch unused = environment.tapped().claim(10);
    return environment.rota()::close;
  }
}
