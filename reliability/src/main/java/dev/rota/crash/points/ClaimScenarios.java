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
import dev.rota.internal.schema.BatchEnd;
import dev.rota.internal.settle.Outcome;
import dev.rota.internal.settle.Settlement;
import dev.rota.internal.settle.Settler;
import dev.rota.internal.worker.HandWorker;
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
        repeatable("move to the next stage", stage -> move(stage, StageResult.next())),
        repeatable(
            "move to the next stage later",
            stage -> move(stage, StageResult.next().after(Duration.ofHours(1)))),
        repeatable("settle what was asked to end", ClaimScenarios::settleAsked),
        repeatable("hand a batch back", ClaimScenarios::handBack),
        repeatable("sign off with an open batch", ClaimScenarios::signOff));
  }

  private static CrashScenario.Act claim(ScenarioEnvironment stage) {
    stage.enqueue("a", "b", "c");
    return () -> settle(stage.tapped().claim(10));
  }

  private static void settle(Batch batch) {
    batch.settle();
  }

  private static CrashScenario.Act claimFromLanes(ScenarioEnvironment stage) {
    stage.enqueue("a", "b");
    stage.expect("done", "c");
    stage.sound().enqueue(ScenarioEnvironment.task("c").priority(7));
    return () -> settle(stage.tapped().claim(10));
  }

  private static CrashScenario.Act claimPrepared(ScenarioEnvironment stage) {
    Kernel kernel = DefaultRota.kernelOf(stage.rota());
    Tenant second = stage.rota().tenants().register(stage.newName());
    Claimer claimer = kernel.claimers().claimer(Set.of(ScenarioEnvironment.KIND), BatchEnd.OPEN);
    List<ClaimRequest> requests = List.of(request(kernel, stage.tapped()), request(kernel, second));
    for (int use = 0; use < 3; use++) {
      second.enqueue(ScenarioEnvironment.task("warm"));
      settle(kernel, claimer, requests);
    }
    stage.enqueue("a", "b");
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
  private static CrashScenario.Act claimAndForget(ScenarioEnvironment stage) {
    Kernel kernel = DefaultRota.kernelOf(stage.rota());
    stage.enqueue("a", "b");
    Claimer claimer = kernel.claimers().claimer(Set.of(ScenarioEnvironment.KIND), BatchEnd.SETTLED);
    return () -> {
      var unused = claimer.claim(List.of(request(kernel, stage.tapped())));
    };
  }

  /** Runs in the claim's transaction: each effect is in the table as often as its task is done. */
  private static CrashScenario.Act transactional(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a", "b");
    stage.execute("create table rota_%1$d.effect (label text not null)");
    String table = "rota_" + stage.sound().number() + ".effect";
    HandWorker worker =
        stage.closeLater(
            new HandWorker(
                stage.rota(),
                ScenarioEnvironment.KIND,
                (task, connection) -> insertEffect(connection, table, task)));
    CrashScenario.Act visit =
        () -> {
          stage.execute("update rota_%1$d.task_wait_%1$d set run_at = now() - interval '1 second'");
          stage.bench().daemon().perform("look for due tasks");
          worker.visit(stage.tapped().number());
        };
    return visit.until(
        "each effect once",
        () ->
            stage.is("a,b", "select string_agg(label, ',' order by label) from rota_%1$d.effect"));
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

  private static CrashScenario.Act settle(ScenarioEnvironment stage) {
    stage.enqueue("a", "b", "c");
    Batch batch = stage.tapped().claim(10);
    return () -> settle(batch);
  }

  private static CrashScenario.Act settleMixed(ScenarioEnvironment stage) {
    stage.enqueue("done", "failed", "released", "late");
    stage.expect("dead", "dead");
    stage.sound().enqueue(ScenarioEnvironment.task("dead"));
    Batch batch = stage.tapped().claim(10);
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
  private static CrashScenario.Act settleInParts(ScenarioEnvironment stage) {
    Kernel kernel = DefaultRota.kernelOf(stage.rota());
    stage.enqueue("a", "b", "c");
    Claimer claimer = kernel.claimers().claimer(Set.of(ScenarioEnvironment.KIND), BatchEnd.OPEN);
    var batch = claimer.claim(List.of(request(kernel, stage.tapped()))).get(0).batch();
    var first = Outcome.done(batch.tasks().get(0));
    Settler settler = kernel.settler();
    return () -> {
      var unused = settler.settle(List.of(new Settlement(batch, List.of(first), false)));
      var unusedRest = settler.settle(List.of(new Settlement(batch, List.of(), true)));
    };
  }

  private static CrashScenario.Act settleParent(ScenarioEnvironment stage) {
    stage.expect("done", "a", "b", "c", "d");
    stage.sound().graphs().enqueue(EnqueueScenarios.diamond());
    Batch batch = stage.tapped().claim(10);
    return () -> settle(batch);
  }

  private static CrashScenario.Act settleDeadParent(ScenarioEnvironment stage) {
    stage.expect("cancelled", "b", "c", "d");
    stage.expect("dead", "a");
    stage.sound().graphs().enqueue(EnqueueScenarios.diamond());
    Batch batch = stage.tapped().claim(10);
    batch.dead(batch.tasks().get(0), "broken");
    return () -> settle(batch);
  }

  private static CrashScenario.Act move(ScenarioEnvironment stage, StageResult result) {
    // One end at each of the two stages.
    stage.expect("done,done", "a");
    stage.sound().enqueue(DOCS.task("a"));
    Batch batch = stage.tapped().claim(10);
    batch.move(batch.tasks().get(0), DOCS, result);
    return () -> settle(batch);
  }

  private static CrashScenario.Act settleAsked(ScenarioEnvironment stage) {
    stage.enqueue("a");
    stage.expect("cancelled", "b");
    stage.sound().enqueue(ScenarioEnvironment.task("b"));
    Batch batch = stage.tapped().claim(10);
    stage.sound().control().requestCancel(TaskFilter.all(), "not wanted");
    batch.fail(find(batch, "b"), "stopped", Duration.ZERO);
    return () -> settle(batch);
  }

  private static CrashScenario.Act handBack(ScenarioEnvironment stage) {
    stage.enqueue("a", "b");
    Batch batch = stage.tapped().claim(10);
    return batch::close;
  }

  private static CrashScenario.Act signOff(ScenarioEnvironment stage) {
    stage.enqueue("a", "b");
    Batch unused = stage.tapped().claim(10);
    return stage.rota()::close;
  }
}
