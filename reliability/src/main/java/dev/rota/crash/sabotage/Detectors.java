package dev.rota.crash.sabotage;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.crash.interleaving.InterleavingEnvironment;
import dev.rota.crash.interleaving.ScriptedScenario;
import dev.rota.crash.interleaving.Violation;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Scenarios of one actor, for errors that no order of steps shows. */
final class Detectors {

  private static final Duration LEASE = Duration.ofSeconds(1);

  private Detectors() {}

  /** Checks the number of rows that is kept of a dropped segment. */
  static ScriptedScenario countedSegment() {
    return ScriptedScenario.named("counted segment")
        .thatRetires()
        .actor(
            "daemon",
            environment -> {
              environment.enqueue(0, environment.task(), environment.task(), environment.task());
              environment.work(1, 10);
              environment.daemon(3).openSegment(environment.tenant(3).number());
              environment.daemon(3).retireSegments();
              long rows =
                  environment.number(
                      "select rows from rota.segment where dropped_at is not null"
                          + " order by seq desc limit 1");
              if (rows != 3) {
                throw new Violation("a segment of 3 rows was dropped, and counted as " + rows);
              }
            });
  }

  /** A worker that lives longer than its lease, and sends heartbeats. */
  static ScriptedScenario liveWorker() {
    return livingOn(
        "live worker", environment -> environment.daemon(3).reapFor(LEASE.multipliedBy(2)));
  }

  /** A worker that lives while the clock of the database steps forward. */
  static ScriptedScenario clockStep() {
    return livingOn(
        "clock step",
        environment -> {
          environment.execute(
              "update rota.worker set heartbeat_at = heartbeat_at - interval '2 hours'");
          environment.daemon(3).reap();
        });
  }

  /** A batch whose number comes again after a restore, and is another worker's by then. */
  static ScriptedScenario namesake() {
    return ScriptedScenario.named("namesake")
        .actor(
            "worker",
            environment -> {
              environment.enqueue(0, environment.task());
              Batch batch = environment.claim(1, 1);
              environment.execute(
                  "update rota.task_batch_1 set worker = 7 where id = " + batch.id());
              SettleResult result = batch.settle();
              if (result.lost() == 0) {
                throw new Violation("a batch of another worker was settled: " + result);
              }
              environment.daemon(3).reap();
              environment.work(2, 1);
            });
  }

  /** An event during the life of a worker. */
  private interface Event {
    void pass(InterleavingEnvironment environment) throws Exception;
  }

  private static ScriptedScenario livingOn(String name, Event event) {
    return ScriptedScenario.named(name)
        .actor(
            "worker",
            environment -> {
              environment.enqueue(0, environment.task());
              try (Rota rota = environment.another(1, LEASE);
                  Batch batch = rota.tenants().get("acme").claim(1)) {
                event.pass(environment);
                SettleResult result = batch.settle();
                if (result.lost() > 0) {
                  throw new Violation("a worker that lives has lost its batch: " + result);
                }
              }
            });
  }

  /** A slot of many blocks, whose first ones are reused without the claimer's knowledge. */
  static ScriptedScenario freedBlock() {
    return ScriptedScenario.named("freed block")
        .actor(
            "claimer",
            environment -> {
              NewTask[] many =
                  Stream.generate(environment::task).limit(2_000).toArray(NewTask[]::new);
              environment.enqueue(0, many);
              environment.work(1, 1_000);
              environment.work(1, 900);
              environment.execute("vacuum " + environment.table("task_init", 0));
              environment.enqueue(0, environment.task());
              environment.work(1, 1_000);
              Batch last = environment.claim(1, 1_000);
              environment.settle(last);
              long left =
                  environment.number("select count(*) from " + environment.table("task_init"));
              if (left > 0) {
                throw new Violation("the claimer was told that there is no more, and left " + left);
              }
            });
  }

  /**
   * An enqueue whose answer was lost, and that is repeated.
   *
   * @param withKey whether the second one has the key of the first
   */
  static ScriptedScenario ambiguousEnqueue(boolean withKey) {
    return ScriptedScenario.named("ambiguous enqueue")
        .given(environment -> environment.enqueue(4, environment.task().withKey("other")))
        .actor(
            "producer",
            environment -> {
              NewTask task = environment.task();
              NewTask sent = withKey ? task.withKey("once") : task;
              try {
                environment.tenant(0).enqueueAll(List.of(sent));
              } catch (DatabaseException e) {
                if (!e.outcomeUnknown()) {
                  throw e;
                }
                environment.tenant(0).enqueueAll(List.of(sent));
              }
              long copies =
                  environment.number(
                      "select count(*) from "
                          + environment.table("task_init")
                          + (" where payload = '" + task.payload() + "'"));
              if (copies != 1) {
                throw new Violation("one task was to be enqueued, and there are " + copies);
              }
            });
  }

  /** Two processes that draw ids. */
  static ScriptedScenario twoProducers() {
    return ScriptedScenario.named("two producers")
        .actor(
            "producer",
            environment -> environment.enqueue(0, environment.task(), environment.task()))
        .actor(
            "other producer",
            environment -> environment.enqueue(4, environment.task(), environment.task()));
  }
}
