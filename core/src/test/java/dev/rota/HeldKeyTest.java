package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests single enqueues of a key that a transaction of another program holds for long. */
@RotaTest
class HeldKeyTest {

  private static final NewTask ORDER = NewTask.of("order", "{}").withKey("order-7");

  @Given private RotaFixture fixture;
  private Tenant acme;
  private Tenant other;
  private Connection holder;
  private long held;

  @BeforeEach
  void hold() throws SQLException {
    acme = fixture.tenant("acme");
    other = fixture.tenant("other");
    acme.enqueue(ORDER.withKey("makes the table"));
    other.enqueue(ORDER.withKey("makes the table"));
    holder = fixture.begin();
    held = acme.enqueue(holder, ORDER);
  }

  @Test
  void itDelaysNoOtherKey() throws Exception {
    List<CompletableFuture<Long>> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waiting.add(acme.enqueueAsync(ORDER));
      fixture.awaitBlocked(1);
    }
    assertThat(stored(other.enqueueAsync(ORDER))).isPositive();
    assertThat(stored(acme.enqueueAsync(ORDER.withKey("order-8")))).isPositive();
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    holder.commit();
    for (CompletableFuture<Long> future : waiting) {
      assertThat(stored(future)).isEqualTo(held);
    }
  }

  /** Ten tasks with the key, and two with others, are in one transaction at first. */
  @Test
  void tasksWithTheKeyWaitTogether() throws Exception {
    Faults faults = new Faults();
    ScriptedFault writers = faults.before("take keys").hold();
    Rota rota =
        fixture.observed(
            faults, builder -> RotaBuilder.lockTimeout(builder, Duration.ofMillis(300)));
    Tenant own = rota.tenants().get("acme");
    List<CompletableFuture<Long>> free = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      free.add(own.enqueueAsync(ORDER.withKey("occupies writer " + i)));
      writers.awaitReached(i);
    }
    List<CompletableFuture<Long>> refused =
        IntStream.range(0, 10).mapToObj(i -> own.enqueueAsync(ORDER)).toList();
    free.add(own.enqueueAsync(ORDER.withKey("order-8")));
    free.add(rota.tenants().get("other").enqueueAsync(ORDER));
    writers.release();
    for (CompletableFuture<Long> future : free) {
      assertThat(stored(future)).isPositive();
    }
    for (CompletableFuture<Long> future : refused) {
      assertRefused(future);
    }
    assertThat(faults.count("take keys"))
        .as("two before, all, each tenant, each key of the one, and those that wait once more")
        .isEqualTo(2 + 1 + 2 + 2 + 1);
  }

  @Test
  void whereNoMoreMayWaitTheNextIsRefused() throws Exception {
    Tenant own = fixture.another(builder -> builder.asyncMemory(1 << 20)).tenants().get("acme");
    NewTask large = NewTask.of("order", "x".repeat(6_900)).withKey("order-7");
    int fitting = (1 << 20) / (200 + 2 * 6_900);
    List<CompletableFuture<Long>> waiting =
        IntStream.rangeClosed(0, fitting).mapToObj(i -> own.enqueueAsync(large)).toList();
    Await.until(
        "one is refused", () -> waiting.stream().filter(CompletableFuture::isDone).count(), 1);
    for (CompletableFuture<Long> future : waiting) {
      if (future.isDone()) {
        assertRefused(future);
      }
    }
    holder.commit();
    assertThat(waiting.stream().filter(future -> !future.isCompletedExceptionally()))
        .hasSize(fitting)
        .allSatisfy(future -> assertThat(stored(future)).isEqualTo(held));
  }

  @Test
  void aRotaThatIsClosedWaitsForIt() throws Exception {
    Rota rota = fixture.another();
    CompletableFuture<Long> waiting = rota.tenants().get("acme").enqueueAsync(ORDER);
    fixture.awaitBlocked(1);
    CompletableFuture<Void> closing = InBackground.run(rota::close);
    holder.commit();
    assertThat(stored(waiting)).isEqualTo(held);
    closing.get(30, TimeUnit.SECONDS);
  }

  private static long stored(CompletableFuture<Long> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  private static void assertRefused(CompletableFuture<Long> future) {
    assertThat(future)
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(DatabaseException.class)
        .withMessageContaining("enqueue for tenant 'acme' (1): the database refused")
        .withMessageContaining("lock timeout");
  }
}
