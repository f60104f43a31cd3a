package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Tests the messages by which processes wake each other's workers. */
@RotaTest
class DoorbellTest {

  private static final Duration PAUSE = Duration.ofSeconds(11);

  private final AtomicLong clock = new AtomicLong();
  private final List<String> heard = new ArrayList<>();
  @Given private RotaFixture fixture;
  private Connection listener;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void listen() throws SQLException {
    fixture.tenant("acme");
    listener = fixture.closeLater(fixture.database().connect());
    rota = fixture.another(builder -> RotaBuilder.nanoTime(builder, clock::get));
    acme = rota.tenants().get("acme");
    RotaFixture.execute(listener, "listen rota_doorbell");
  }

  @Test
  void processWithoutWorkerRings() {
    acme.enqueue(NewTask.of("a", "{}"));
    await(":" + acme.number());
  }

  @Test
  void processThatHearsNoOtherWorkerIsQuietUntilThereIsOne() throws Exception {
    Tenant solo = rota.tenants().register("solo");
    CountDownLatch ran = new CountDownLatch(1);
    try (Worker own = worker(rota, "a", () -> {})) {
      for (int i = 0; i < 3; i++) {
        await("");
        heard.clear();
        clock.addAndGet(PAUSE.toNanos());
      }
      await("");
      solo.enqueue(NewTask.of("a", "{}"));
      Await.until("the task ran", () -> own.statistics().done() == 1);
      try (Worker other = worker(fixture.another(), "b", ran::countDown)) {
        await("/");
        acme.enqueue(NewTask.of("b", "{}"));
        assertThat(ran.await(Await.LONG.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        await(":" + acme.number());
        assertThat(heard).noneMatch(message -> message.contains(":" + solo.number()));
        assertThat(own.statistics().done()).isEqualTo(1);
      }
    }
  }

  /** Three connections that listen would leave none of two for work. */
  @Test
  void workersOfOneRotaListenOnOneConnection() {
    Rota small = fixture.another(builder -> builder.poolSize(2));
    try (Worker a = worker(small, "a", () -> {});
        Worker b = worker(small, "b", () -> {});
        Worker c = worker(small, "c", () -> {})) {
      List.of("a", "b", "c").forEach(this::ring);
      Await.until("one runs", () -> a.statistics().done(), 1);
      Await.until("another runs", () -> b.statistics().done(), 1);
      Await.until("the third runs", () -> c.statistics().done(), 1);
      a.close();
      c.close();
      ring("b");
      Await.until("the other workers may end", () -> b.statistics().done(), 2);
      try (Worker later = worker(small, "a", () -> {})) {
        b.close();
        ring("a");
        Await.until("others may come", () -> later.statistics().done(), 1);
      }
    }
  }

  private void ring(String kind) {
    long unused = acme.enqueue(NewTask.of(kind, "{}"));
  }

  /** A worker that a doorbell wakes for a task, or nothing before the test has failed. */
  private static Worker worker(Rota rota, String kind, Runnable ran) {
    return rota.worker()
        .handle(kind, task -> ran.run())
        .pollInterval(Duration.ofMinutes(10))
        .start();
  }

  /** Waits for a message with this in it. */
  private void await(String part) {
    Await.until("a message with " + part, () -> hears(part));
  }

  private boolean hears(String part) {
    try {
      for (PGNotification message : listener.unwrap(PGConnection.class).getNotifications(10)) {
        heard.add(message.getParameter());
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    return heard.stream().anyMatch(message -> message.contains(part));
  }
}
