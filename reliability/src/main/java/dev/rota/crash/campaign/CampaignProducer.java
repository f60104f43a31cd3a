package dev.rota.crash.campaign;

import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.TaskKey;
import dev.rota.Tenant;
import dev.rota.crash.campaign.audit.CampaignAccounts;
import dev.rota.crash.campaign.audit.CampaignTask;
import dev.rota.crash.campaign.audit.EnqueueMode;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues in all supported ways, one thread for each, and records the outcome of every task.
 * Thread-safe.
 */
final class CampaignProducer {

  private static final Duration KEY_KEPT = Duration.ofHours(12);
  private static final int BURST = 20;
  private static final int MOST_DELAY_MILLIS = 1_500;

  /**
   * The length of a long transaction: longer than the time to the next rotation, so that the
   * current slot changes.
   */
  private static final int LONG_TRANSACTION_MILLIS = 2_500;

  private final String url;
  private final List<Tenant> tenants;
  private final ProducerLog log;
  private final EvenPace pace;
  private final Orders orders;
  private final int mostInBulk;
  private final AtomicInteger marks = new AtomicInteger();
  private volatile boolean stopping;

  /**
   * The settings of a producer.
   *
   * @param number its number among the producer processes of the campaign
   * @param tasksASecond how many tasks it enqueues in all its ways together
   * @param seed the seed of its choices
   */
  record Orders(int number, int tasksASecond, long seed) {}

  CampaignProducer(Rota rota, String url, ProducerLog log, Orders orders) {
    this.url = url;
    this.tenants =
        CampaignTenants.NAMES.stream()
            .map(name -> Await.success("look up " + name, () -> rota.tenants().get(name)))
            .toList();
    this.log = log;
    this.orders = orders;
    this.pace = new EvenPace(orders.tasksASecond());
    this.mostInBulk = Math.max(20, orders.tasksASecond() / 5);
  }

  List<Thread> start() {
    List<Thread> threads = new ArrayList<>();
    for (EnqueueMode way : EnqueueMode.values()) {
      Random random = new Random(31 * orders.seed() + way.name().hashCode());
      Thread thread = new Thread(() -> produce(way, random), "producer-" + way);
      thread.start();
      threads.add(thread);
    }
    return threads;
  }

  void stop() {
    stopping = true;
  }

  private void produce(EnqueueMode way, Random random) {
    while (!stopping) {
      Tenant tenant = tenants.get(random.nextInt(tenants.size()));
      switch (way) {
        case SINGLE -> single(tenant, random);
        case ASYNC -> burst(tenant, random);
        case BULK -> bulk(tenant, random, 1 + random.nextInt(mostInBulk));
        case IN_CALLERS_TRANSACTION -> inTransaction(tenant, random, 1 + random.nextInt(5));
        case DELAYED -> delayed(tenant, random, 1 + random.nextInt(BURST));
        case WITH_KEY -> withKeys(tenant, random, 1 + random.nextInt(8));
      }
    }
  }

  private long begin(EnqueueMode way, int count) {
    pace.await(count);
    long first = CampaignAccounts.mark(orders.number(), marks.getAndAdd(count));
    log.invoke(first, count, way);
    return first;
  }

  private void single(Tenant tenant, Random random) {
    long mark = begin(EnqueueMode.SINGLE, 1);
    try {
      log.acknowledged(mark, List.of(tenant.enqueue(task(mark, random))));
    } catch (RuntimeException e) {
      notAcknowledged(mark, 1, e);
    }
  }

  private void burst(Tenant tenant, Random random) {
    List<CompletableFuture<Void>> futures = new ArrayList<>();
    for (int i = 0; i < BURST; i++) {
      long mark = begin(EnqueueMode.ASYNC, 1);
      futures.add(
          tenant.enqueueAsync(task(mark, random)).handle((id, error) -> heard(mark, id, error)));
    }
    futures.forEach(CompletableFuture::join);
  }

  private @Nullable Void heard(long mark, @Nullable Long id, @Nullable Throwable error) {
    if (id != null) {
      log.acknowledged(mark, List.of(id));
    } else {
      notAcknowledged(mark, 1, error);
    }
    return null;
  }

  private void bulk(Tenant tenant, Random random, int count) {
    store(EnqueueMode.BULK, count, first -> tenant.enqueueAll(tasks(first, count, random)));
  }

  private void delayed(Tenant tenant, Random random, int count) {
    store(
        EnqueueMode.DELAYED,
        count,
        first ->
            tenant.enqueueAll(
                tasks(first, count, random).stream()
                    .map(task -> task.after(millis(random.nextInt(MOST_DELAY_MILLIS))))
                    .toList()));
  }

  private interface Store {
    List<Long> store(long first);
  }

  private void store(EnqueueMode way, int count, Store store) {
    long first = begin(way, count);
    try {
      log.acknowledged(first, store.store(first));
    } catch (RuntimeException e) {
      notAcknowledged(first, count, e);
    }
  }

  /**
   * Enqueues with keys: an enqueue can be repeated whatever its outcome, until it is acknowledged.
   */
  private void withKeys(Tenant tenant, Random random, int count) {
    long first = begin(EnqueueMode.WITH_KEY, count);
    List<NewTask> tasks =
        LongStream.range(first, first + count)
            .mapToObj(mark -> CampaignTask.of(mark).task(mark).withKey(key(mark)))
            .toList();
    boolean oneByOne = random.nextInt(3) == 0;
    while (!acknowledged(tenant, first, tasks, oneByOne) && !stopping) {
      pace.await(count);
      log.invoke(first, count, EnqueueMode.WITH_KEY);
    }
  }

  private static TaskKey key(long mark) {
    return TaskKey.keptFor("mark " + mark, KEY_KEPT);
  }

  private boolean acknowledged(Tenant tenant, long first, List<NewTask> tasks, boolean oneByOne) {
    try {
      List<Long> ids =
          oneByOne ? tasks.stream().map(tenant::enqueue).toList() : tenant.enqueueAll(tasks);
      log.acknowledged(first, ids);
      return true;
    } catch (RuntimeException e) {
      // In one by one mode, the tasks before the failed one are stored.
      if (oneByOne) {
        log.unknown(first, tasks.size());
      } else {
        notAcknowledged(first, tasks.size(), e);
      }
      return false;
    }
  }

  private void inTransaction(Tenant tenant, Random random, int count) {
    long first = begin(EnqueueMode.IN_CALLERS_TRANSACTION, count);
    boolean committing = false;
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      List<Long> ids = tenant.enqueueAll(connection, tasks(first, count, random));
      order(connection, first, count);
      LockSupport.parkNanos(
          millis(random.nextInt(random.nextInt(20) == 0 ? LONG_TRANSACTION_MILLIS : 20)).toNanos());
      if (random.nextInt(10) == 0) {
        connection.rollback();
        log.failed(first, count);
        return;
      }
      committing = true;
      connection.commit();
      committing = false;
      log.acknowledged(first, ids);
    } catch (SQLException | RuntimeException e) {
      if (committing) {
        log.unknown(first, count);
      } else {
        log.failed(first, count);
      }
    }
  }

  private static void order(Connection connection, long first, int count) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into ordered (mark) select * from generate_series(?, ?)")) {
      insert.setLong(1, first);
      insert.setLong(2, first + count - 1);
      insert.executeUpdate();
    }
  }

  /**
   * Records a failed enqueue. Rota reports whether the outcome is known; other errors come before
   * anything is stored.
   */
  private void notAcknowledged(long first, int count, @Nullable Throwable error) {
    Throwable cause = error;
    while (cause != null && !(cause instanceof DatabaseException)) {
      cause = cause.getCause();
    }
    if (cause instanceof DatabaseException refusal && refusal.outcomeUnknown()) {
      log.unknown(first, count);
    } else {
      log.failed(first, count);
    }
  }

  private static List<NewTask> tasks(long first, int count, Random random) {
    return IntStream.range(0, count).mapToObj(i -> task(first + i, random)).toList();
  }

  private static NewTask task(long mark, Random random) {
    NewTask task = CampaignTask.of(mark).task(mark);
    return switch (random.nextInt(8)) {
      case 0 -> task.priority(CampaignTenants.HIGH);
      case 1 -> task.priority(CampaignTenants.LOW);
      default -> task;
    };
  }

  private static Duration millis(long count) {
    return Duration.ofNanos(TimeUnit.MILLISECONDS.toNanos(count));
  }
}
