package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.TaskKey;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests keys and versions while workers die, rings rotate and producers race. */
@RotaTest
@PostgresVersions({15, 18})
class KeyedTasksTest {

  private static final int KEYS = 1_000;
  private static final int PRODUCERS = 8;
  private static final int TOGETHER = 25;

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  private static NewTask document(int key, long version) {
    return NewTask.of("index", key + " " + version)
        .withKey(TaskKey.versioned("doc-" + key, version));
  }

  @Test
  @Tag("exhaustive")
  void aDeadWorkersTasksKeepTheirKeysAndRunTheNewestVersion() throws Exception {
    Rota doomed = fixture.another();
    NewTask order = NewTask.of("order", "{}").withKey("order-7");
    long plain = acme.enqueue(order);
    long versioned = acme.enqueue(document(1, 1));
    Batch zombies = doomed.tenants().get("acme").claim(10);
    acme.enqueue(document(1, 2));
    fixture.execute(
        "update rota.worker set heartbeat_at = now() - interval '1 hour',"
            + " lease = interval '100 milliseconds' where id = (select worker from"
            + " rota.task_batch_1 where id = "
            + zombies.id()
            + ")");
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("its tasks are back", () -> daemon.statistics().reaped(), 2);
    assertThat(acme.enqueue(order)).isEqualTo(plain);
    try (Batch again = acme.claim(10)) {
      assertThat(again.tasks()).extracting(task -> task.id()).containsOnly(plain, versioned);
      assertThat(again.tasks()).extracting(task -> task.payload()).containsOnly("{}", "1 2");
      assertThat(zombies.settle()).isEqualTo(new SettleResult(0, 2));
      assertThat(acme.enqueue(order)).as("the zombie freed nothing").isEqualTo(plain);
      assertThat(again.settle()).isEqualTo(new SettleResult(2, 0));
    }
    assertThat(acme.enqueue(order)).isNotEqualTo(plain);
    assertThat(acme.claim(10).tasks()).extracting(task -> task.kind()).containsExactly("order");
  }

  @Test
  void keysWhoseTimeIsOverAreForgotten() throws Exception {
    acme.enqueue(document(1, 1));
    acme.enqueue(NewTask.of("k", "{}").withKey(TaskKey.keptFor("kept", Duration.ofDays(1))));
    acme.enqueue(NewTask.of("k", "{}").withKey(TaskKey.keptFor("running", Duration.ofDays(1))));
    try (Batch batch = acme.claim(2)) {
      batch.settle();
    }
    fixture.execute("update rota_1.task_key_1 set free_at = now() - interval '1 second'");
    fixture.daemon(settings -> settings);
    Await.until(
        "only the key of the task that has not ended is left",
        () -> fixture.text("select string_agg(key, ' ') from rota_1.task_key_1").equals("running"));
  }

  @Test
  @Tag("exhaustive")
  void everyKeyEndsWithItsNewestVersionAndNeverRunsTwiceAtOnce() throws Exception {
    race(16_000);
  }

  @Test
  @Tag("long")
  void everyKeyEndsWithTheNewestOfAHundredThousandVersions() throws Exception {
    race(100_000);
  }

  /** Versions 1, 2, 3 ... of each key; what a run sees is in its payload. */
  private void race(int bumps) throws Exception {
    fixture.daemon(settings -> settings);
    Runs runs = new Runs();
    try (Worker first = worker(runs);
        Worker second = worker(runs)) {
      AtomicLongArray versions = bump(bumps);
      Await.until(
          "all keys have ended",
          Duration.ofMinutes(2),
          () ->
              fixture.number("select count(*) from rota_1.task_key_1 where live") == 0
                  && fixture.number("select count(*) from rota_1.task_init_1") == 0);
      assertThat(first.statistics().lost() + second.statistics().lost()).isZero();
      for (int key = 0; key < KEYS; key++) {
        assertThat(runs.last.get(key)).as("last run of key " + key).isEqualTo(versions.get(key));
      }
    }
    assertThat(runs.together).hasValue(0);
    assertThat(runs.backwards).hasValue(0);
  }

  private Worker worker(Runs runs) {
    return fixture
        .observed(StatementObserver.NONE, builder -> builder.poolSize(8))
        .worker()
        .handle("index", task -> runs.run(task.payload()))
        .concurrency(8)
        .start();
  }

  private AtomicLongArray bump(int bumps) throws Exception {
    AtomicLongArray versions = new AtomicLongArray(KEYS);
    ExecutorService producers = Executors.newFixedThreadPool(PRODUCERS);
    List<Future<?>> ends = new ArrayList<>();
    for (int i = 0; i < PRODUCERS; i++) {
      ends.add(producers.submit(() -> bump(versions, bumps / PRODUCERS)));
    }
    for (Future<?> end : ends) {
      end.get();
    }
    producers.shutdown();
    return versions;
  }

  private void bump(AtomicLongArray versions, int bumps) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int sent = 0; sent < bumps; sent += TOGETHER) {
      List<NewTask> tasks = new ArrayList<>();
      for (int i = 0; i < TOGETHER; i++) {
        int key = random.nextInt(KEYS);
        tasks.add(document(key, versions.incrementAndGet(key)));
      }
      acme.enqueueAll(tasks);
    }
  }

  /** What handlers saw. */
  private static final class Runs {
    private final Set<Integer> running = ConcurrentHashMap.newKeySet();
    private final AtomicLongArray last = new AtomicLongArray(KEYS);
    private final AtomicInteger together = new AtomicInteger();
    private final AtomicInteger backwards = new AtomicInteger();

    void run(String payload) {
      String[] parts = payload.split(" ", 2);
      int key = Integer.parseInt(parts[0]);
      long version = Long.parseLong(parts[1]);
      if (!running.add(key)) {
        together.incrementAndGet();
      }
      if (last.getAndSet(key, version) >= version) {
        backwards.incrementAndGet();
      }
      running.remove(key);
    }
  }
}
