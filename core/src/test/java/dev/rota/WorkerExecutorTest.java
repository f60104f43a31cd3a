package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests handlers on executors of the host, well-behaved or not. */
@RotaTest
class WorkerExecutorTest {

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.observed(faults, builder -> builder.doorbell(false));
    acme = rota.tenants().register("acme");
  }

  @Test
  void handlersRunOnTheExecutorOfTheHostWhichStaysOpen() throws Exception {
    ExecutorService hosts = Executors.newFixedThreadPool(2, work -> new Thread(work, "hosts"));
    try {
      assertThat(threadsThatRan(hosts, 200)).extracting(Thread::getName).containsOnly("hosts");
      assertThat(hosts.isShutdown()).isFalse();
    } finally {
      hosts.shutdownNow();
    }
  }

  @Test
  void handlersRunOnVirtualThreads() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads need Java 21");
    ExecutorService virtual =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    try {
      for (Thread thread : threadsThatRan(virtual, 1_000)) {
        assertThat(Thread.class.getMethod("isVirtual").invoke(thread)).isEqualTo(true);
      }
    } finally {
      virtual.shutdownNow();
    }
  }

  @Test
  void anExecutorThatIsFullAtTimesHoldsUpTheTasksOnlySoLong() throws Exception {
    CountDownLatch occupied = new CountDownLatch(1);
    ThreadPoolExecutor small =
        new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
    ListAppender<ILoggingEvent> log = listenToLog();
    try (Worker worker = rota.worker().executor(small).handle("k", task -> {}).start()) {
      small.execute(() -> awaitQuietly(occupied));
      enqueue(500);
      Await.until("claimed in vain", () -> worker.statistics().claimed() > 0);
      long looks = faults.count("discover");
      Await.until("a while passed", () -> faults.count("discover") > looks + 5);
      assertThat(worker.statistics().done()).isZero();
      occupied.countDown();
      Await.until("all done", () -> worker.statistics().done(), 500);
      assertThat(log.list).hasSizeBetween(1, 5);
    } finally {
      small.shutdownNow();
    }
  }

  @Test
  void anExecutorThatCannotMakeThreadsAtTimesDoesNotEndTheWorker() throws Exception {
    AtomicInteger refusals = new AtomicInteger(3);
    ThreadPoolExecutor poor =
        new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>()) {
          @Override
          public void execute(Runnable work) {
            if (refusals.getAndDecrement() > 0) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            super.execute(work);
          }
        };
    try (Worker worker = rota.worker().executor(poor).handle("k", task -> {}).start()) {
      enqueue(500);
      Await.until("all done", () -> worker.statistics().done(), 500);
    } finally {
      poor.shutdownNow();
    }
  }

  @Test
  void anExecutorThatTheHostShutsDownEndsTheHandlersInTransactions() throws Exception {
    ExecutorService hosts = Executors.newFixedThreadPool(2);
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .concurrency(2)
            .executor(hosts)
            .handleInTransaction("k", (task, connection) -> {})
            .start()) {
      enqueue(1);
      Await.until("done", () -> worker.statistics().done(), 1);
      hosts.shutdown();
      assertThat(hosts.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private Set<Thread> threadsThatRan(ExecutorService executor, int tasks) throws Exception {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    enqueue(tasks);
    try (Worker worker =
        rota.worker()
            .executor(executor)
            .concurrency(50)
            .handle("k", task -> threads.add(Thread.currentThread()))
            .start()) {
      Await.until("all done", () -> worker.statistics().done(), tasks);
    }
    return threads;
  }

  private List<Long> enqueue(int count) {
    return acme.enqueueAll(Collections.nCopies(count, NewTask.of("k", "{}")));
  }

  private static ListAppender<ILoggingEvent> listenToLog() {
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    ((Logger) LoggerFactory.getLogger("dev.rota.internal.worker.HandlerExecutor"))
        .addAppender(appender);
    return appender;
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
