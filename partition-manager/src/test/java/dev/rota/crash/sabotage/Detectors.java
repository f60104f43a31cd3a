package dev.rota.crash.sabotage;

import dev.rota.Batch;
import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.SettleResult;
import dev.rota.crash.interleaving.Plot;
import dev.rota.crash.interleaving.Violation;
import dev.rota.crash.interleaving.World;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Scenarios of one actor, for what no order of steps brings to light. */
final class Detectors {

  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Detectors() {}

  /** The number of rows that is kept of a dropped segment. */
  static Plot countedSegment() {
    return Plot.named("counted segment")
        .thatRetires()
        .actor(
            "daemon",
            world -> {
              world.enqueue(0, world.task(), world.task(), world.task());
              world.work(1, 10);
              world.daemon(3).openSegment(world.tenant(3).number());
              world.daemon(3).retireSegments();
              long rows =
                  world.number(
                      "select rows from rota.segment where dropped_at is not null"
                          + " order by seq desc limit 1");
              if (rows != 3) {
                throw new Violation("a segment of 3 rows was dropped, and counted as " + rows);
              }
            });
  }

  /** A worker that lives longer than its lease, and sends heartbeats. */
  static Plot liveWorker() {
    return Plot.named("live worker")
        .actor(
            "worker",
            world -> {
              world.enqueue(0, world.task());
              try (Rota rota = world.another(1, LEASE);
                  Batch batch = rota.tenants().get("acme").claim(1)) {
                awaitLeaseSinceClaim(world, batch.id());
                world.daemon(3).reap();
                SettleResult result = batch.settle();
                if (result.lost() > 0) {
                  throw new Violation("a worker that lives has lost its batch: " + result);
                }
              }
            });
  }

  private static void awaitLeaseSinceClaim(World world, long batch) throws Exception {
    String over =
        "select count(*) from rota.task_batch where id = %d and claimed_at < now() - interval '%d ms'"
            .formatted(batch, LEASE.toMillis() * 3 / 2);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (world.number(over) == 0) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the clock of the database stands still");
      }
    }
  }

  /** A slot of many blocks, whose first ones are used again behind the back of a claimer. */
  static Plot freedBlock() {
    return Plot.named("freed block")
        .actor(
            "claimer",
            world -> {
              NewTask[] many = Stream.generate(world::task).limit(2_000).toArray(NewTask[]::new);
              world.enqueue(0, many);
              world.work(1, 1_000);
              world.work(1, 900);
              world.execute("vacuum " + world.table("task_init", 0));
              world.enqueue(0, world.task());
              world.work(1, 1_000);
              Batch last = world.claim(1, 1_000);
              world.settle(last);
              long left = world.number("select count(*) from " + world.table("task_init"));
              if (left > 0) {
                throw new Violation("the claimer was told that there is no more, and left " + left);
              }
            });
  }

  /**
   * An enqueue whose answer was lost, and that is done again.
   *
   * @param withKey whether the second one has the key of the first
   */
  static Plot ambiguousEnqueue(boolean withKey) {
    return Plot.named("ambiguous enqueue")
        .given(world -> world.enqueue(4, world.task().withKey("other")))
        .actor(
            "producer",
            world -> {
              NewTask task = world.task();
              NewTask sent = withKey ? task.withKey("once") : task;
              try {
                world.tenant(0).enqueueAll(List.of(sent));
              } catch (DatabaseException e) {
                if (!e.outcomeUnknown()) {
                  throw e;
                }
                world.tenant(0).enqueueAll(List.of(sent));
              }
              long copies =
                  world.number(
                      "select count(*) from "
                          + world.table("task_init")
                          + (" where payload = '" + task.payload() + "'"));
              if (copies != 1) {
                throw new Violation("one task was to be enqueued, and there are " + copies);
              }
            });
  }

  /** Two processes that draw ids. */
  static Plot twoProducers() {
    return Plot.named("two producers")
        .actor("producer", world -> world.enqueue(0, world.task(), world.task()))
        .actor("other producer", world -> world.enqueue(4, world.task(), world.task()));
  }
}
