package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.claim.ClaimRequest.ClaimResult.RingState;
import dev.rota.internal.worker.TenantQueue.ClaimSlot;
import dev.rota.internal.worker.TenantQueue.Visit;
import dev.rota.testing.Await;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that tenants with a few tasks do not wait for the claim of a tenant with many. */
class LongTurnTest {

  private static final int BATCH = 1_000;
  private static final int SLOT_1 = 1 << 1;

  /** Tenants of the first of two slots. */
  private static final int WHALE = 2;

  private static final int SMALL = 4;
  private static final int OTHER_SMALL = 6;

  /** A clock that stands: a tenant of another slot that waits for long is taken anyway. */
  private final TenantQueues queues =
      new TenantQueues(1, BATCH, 2, new Flows(8, 0, () -> 0), () -> 0);

  private final TenantQueue queue = queues.of(0);

  /** A visit that returns a full batch shows that the next one is long. */
  @BeforeEach
  void learnThatTheWhaleHasMany() {
    queue.changed(WHALE, SLOT_1);
    queue.visited(taken(0, WHALE), BATCH, RingState.MORE);
  }

  @Test
  void fewAndManyAreNotClaimedTogether() {
    queue.changed(SMALL, SLOT_1);
    queue.changed(OTHER_SMALL, SLOT_1);
    Visit whale = taken(0, WHALE);
    assertThat(queue.take(0, 10, 10 * BATCH))
        .extracting(Visit::tenant)
        .containsExactly(SMALL, OTHER_SMALL);
    queue.visited(whale, 0, RingState.EMPTY);
  }

  @Test
  void aTenantWithManyIsNotLeftBehindTwice() {
    queue.goBy(new WhaleLast());
    queue.changed(SMALL, SLOT_1);
    queue.visited(taken(0, SMALL), 1, RingState.MORE);
    taken(0, WHALE);
    taken(0, SMALL);
  }

  @Test
  void anotherSlotTakesTheTenantsOfOneThatIsAwayForLong() {
    queue.changed(SMALL, SLOT_1);
    assertThat(queue.isDue(1)).as("the first slot may come soon").isFalse();
    taken(0, WHALE);
    assertThat(queue.isDue(1)).isTrue();
    taken(1, SMALL);
  }

  /** However many they are: to take tenants of others costs their slots more than a wait. */
  @Test
  void aTurnForManyTenantsWithFewIsNotLong() {
    queue.visited(taken(0, WHALE), 0, RingState.EMPTY);
    List<Integer> several = IntStream.range(10, 20).map(n -> 2 * n).boxed().toList();
    several.forEach(
        tenant -> {
          queue.changed(tenant, SLOT_1);
          queue.visited(taken(0, tenant), ClaimSlot.LONG_VISIT - 1, RingState.EMPTY);
        });
    several.forEach(tenant -> queue.changed(tenant, SLOT_1));
    assertThat(queue.take(0, 10, 10 * BATCH)).hasSize(10);
    queue.changed(SMALL, SLOT_1);
    assertThat(queue.isDue(1)).isFalse();
  }

  @Test
  void aSlotThatComesBackTakesItsOwn() throws InterruptedException {
    taken(0, WHALE);
    assertThat(queues.await(0, 0)).isEmpty();
    queue.changed(SMALL, SLOT_1);
    assertThat(queue.isDue(1)).isFalse();
    taken(0, SMALL);
  }

  @Test
  void aSlotThatIsBackFromItsClaimTakesItsOwn() {
    Visit whale = taken(0, WHALE);
    queues.returned(0);
    queue.visited(whale, BATCH, RingState.MORE);
    queue.changed(SMALL, SLOT_1);
    assertThat(queue.isDue(1)).isFalse();
  }

  @Test
  void aSlotThatWaitsIsWoken() throws Exception {
    taken(0, WHALE);
    FutureTask<List<Integer>> other = new FutureTask<>(() -> queues.await(1, Long.MAX_VALUE));
    Thread thread = new Thread(other, "rota-test-slot");
    thread.start();
    Await.until("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
    queue.changed(SMALL, SLOT_1);
    assertThat(other.get(30, TimeUnit.SECONDS)).containsExactly(0);
    taken(1, SMALL);
  }

  /** The order while the whale has had the most. */
  private static final class WhaleLast implements TenantQueue.Order {
    @Override
    public double tag(int tenant) {
      return tenant == WHALE ? 1 : 0;
    }

    @Override
    public boolean isSated(int tenant) {
      return false;
    }
  }

  private Visit taken(int slot, int tenant) {
    List<Visit> visits = queue.take(slot, 10, 10 * BATCH);
    assertThat(visits).extracting(Visit::tenant).containsExactly(tenant);
    return visits.get(0);
  }
}
