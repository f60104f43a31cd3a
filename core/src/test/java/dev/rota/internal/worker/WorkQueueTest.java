package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.worker.BatchProgress.Piece;
import dev.rota.internal.worker.ClaimLoop.ClaimSize;
import dev.rota.internal.worker.ClaimLoop.KindQueue;
import dev.rota.internal.worker.ClaimLoop.PrefetchLimit;
import dev.rota.internal.worker.ClaimLoop.Reservation;
import dev.rota.internal.worker.HandlerExecutor.TimeSlice;
import dev.rota.internal.worker.WorkerConfig.KindSettings;
import dev.rota.spi.TaskObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which tenants a worker claims more of, by the tasks that it holds of them. */
@RotaTest
class WorkQueueTest {

  private static final int HANDLERS = 8;
  private static final int HEADROOM = 7;
  private static final int BATCH = 40;

  /** The number of tasks to hold ready: many more than there are handlers. */
  private static final int FAST = 1_000;

  private static final KindSettings.Group ALL_KINDS =
      new KindSettings.Group(Set.of(), KindSettings.Group.NO_LIMIT);

  private final AtomicLong now = new AtomicLong();
  private final Flows flows = new Flows(HANDLERS, HEADROOM, now::get);
  private final WorkQueue queue = new WorkQueue(ALL_KINDS, HANDLERS, flows);

  @Given private Rota rota;
  private TenantQueues queues;
  private KindQueue kinds;
  private int whale;
  private int small;

  @BeforeEach
  void open() {
    whale = register("whale");
    small = register("small");
    queues = new TenantQueues(1, BATCH, 1, flows, now::get);
    Claimer claimer = kernel().claimers().claimer(null, BatchEnd.OPEN);
    kinds =
        new KindQueue(
            queues.of(0),
            claimer,
            new PrefetchLimit(FAST, BATCH, new ClaimSize(new RegistryTables("rota"))),
            queue,
            false);
  }

  @Test
  void aTenantThatIsAloneIsClaimedAsMuchAsTheWorkerWants() {
    hold(whale, kinds);
    assertThat(kinds.isSated(whale)).isFalse();
    assertThat(kinds.beside().isSated(whale)).as("and no more").isTrue();
    assertThat(kinds.beside().isSated(small)).as("nothing is held of it").isFalse();
  }

  @Test
  void aTenantBesideOthersIsClaimedUpToItsShare() {
    hold(whale, kinds);
    run(10);
    hold(small, kinds);
    // Half a second of eight handlers is 400 tasks of 10 ms.
    assertThat(kinds.isSated(whale)).isFalse();
    for (int i = 0; i < 5; i++) {
      hold(whale, kinds);
    }
    assertThat(kinds.isSated(whale)).isTrue();
    assertThat(kinds.isSated(small)).isFalse();
    assertThat(kinds.beside().isSated(small)).isFalse();
  }

  @Test
  void noMoreThanItsPartOfTheTargetIsClaimedOfATenantWhereEnoughIsHeld() {
    hold(whale, kinds);
    hold(small, kinds);
    assertThat(queue.isHalfSated(small, 4 * BATCH + 2)).as("its part is half of that").isFalse();
    assertThat(queue.isHalfSated(small, 4 * BATCH)).isTrue();
  }

  @Test
  void longTasksAreNotClaimedWhereEnoughIsHeld() {
    hold(whale, kinds);
    assertThat(queue.enter()).isNotNull();
    hold(small, kinds);
    // Nothing is known of the one that runs: those beside it wait for what it shows.
    assertThat(queue.enter()).isNotNull();
    assertThat(kinds.isSated(whale)).isFalse();
    assertThat(kinds.beside().isSated(whale)).isTrue();
  }

  @Test
  void longTasksThatWaitDoNotKeepShortOnesFromBeingClaimed() {
    hold(whale, kinds.beside());
    assertThat(queue.waitingBesides()).isEqualTo(BATCH);
    TimeSlice first = enter();
    pass(1_000);
    assertThat(flows.chargeRunning(List.of(first))).containsExactly(first);
    assertThat(queue.enter()).as("there is room for one long task").isNull();
    assertThat(queue.waiting()).isEqualTo(BATCH - 1);
    assertThat(queue.waitingBesides()).isZero();
  }

  @Test
  void cheapTasksOfAKindRunTogether() {
    hold(whale, kinds);
    run(0);
    TimeSlice slice = enter();
    int begun = 1;
    while (slice.next() != null) {
      begun++;
    }
    // A tenth of a millisecond is enough for five of 18 us.
    assertThat(begun).isEqualTo(5);
  }

  @Test
  void tasksBehindOneThatRunsOnGoBackToTheirPlaces() {
    hold(whale, kinds);
    run(0);
    TimeSlice slice = enter();
    ClaimedTask first = task(slice.current());
    pass(1_000);
    assertThat(flows.chargeRunning(List.of(slice))).containsExactly(slice);
    queue.putBack(slice);
    assertThat(slice.next()).isNull();
    assertThat(slice.charge().tasks()).isEqualTo(1);
    queue.leave(slice);
    List<ClaimedTask> batch = slice.current().run().batch().tasks();
    int place = batch.indexOf(first);
    assertThat(drained()).isEqualTo(batch.subList(place + 1, batch.size()));
  }

  @Test
  void tasksThatGoBackWaitInLineAgain() {
    hold(whale, kinds);
    run(0);
    TimeSlice last = enter();
    while (queue.runnable() > 0) {
      queue.leave(last);
      last = enter();
    }
    int others = last.charge().tasks() - 1;
    queue.putBack(last);
    assertThat(drained()).isNotEmpty().hasSize(others);
  }

  @Test
  void tenantsAreServedByWeight() {
    flows.apply(rules(tenant -> tenant == whale ? 3 : 1, tenant -> 0));
    hold(whale, kinds);
    hold(small, kinds);
    assertThat(servedOf(whale, 40)).isBetween(28, 32);
    flows.apply(TaskRules.NONE);
    hold(whale, kinds);
    assertThat(servedOf(whale, 40)).isBetween(18, 22);
  }

  @Test
  void aLowerTierIsServedForATenthOfTheTime() {
    hold(whale, kinds);
    hold(small, kinds);
    flows.apply(rules(tenant -> 1, tenant -> tenant == small ? 1 : 0));
    queue.reorder();
    assertThat(servedOf(whale, 30)).isBetween(2, 4);
    flows.apply(TaskRules.NONE);
    queue.reorder();
    assertThat(servedOf(whale, 20)).isBetween(9, 11);
  }

  @Test
  void lowerTiersTakeTurnsAndGetAllThatIsLeft() {
    int lowest = register("lowest");
    flows.apply(rules(tenant -> 1, tenant -> tenant == small ? 2 : tenant == whale ? 1 : 0));
    hold(lowest, kinds);
    hold(whale, kinds);
    hold(small, kinds);
    List<String> served = served(40);
    assertThat(Collections.frequency(served, "small")).isBetween(34, 38);
    assertThat(Collections.frequency(served, "whale")).isBetween(1, 3);
    assertThat(Collections.frequency(served, "lowest")).isBetween(1, 3);
    assertThat(served(80)).contains("small", "whale", "lowest");
    assertThat(queue.runnable()).isZero();
  }

  @Test
  void aTenantOfMoreWeightIsClaimedMore() {
    hold(whale, kinds);
    hold(small, kinds);
    assertThat(queue.wanted(whale, 7, 1_000)).as("all have the same weight").isEqualTo(7);
    assertThat(queue.parts()).isZero();
    flows.apply(rules(tenant -> tenant == whale ? 3 : 1, tenant -> 0));
    assertThat(served(2)).containsExactlyInAnyOrder("whale", "small");
    // Two seconds of eight handlers are 1,600 tasks of 10 ms, of which three quarters are its part.
    int held = BATCH - 1;
    assertThat(queue.wanted(whale, 7, 2_000)).isEqualTo(1_200 - held);
    assertThat(queue.wanted(small, 7, 1_000)).isEqualTo(400 - held);
    assertThat(queue.missing(whale)).isEqualTo(1_200 - held);
    assertThat(queue.wanted(whale, 7, 50)).isEqualTo(50);
    assertThat(queue.wanted(register("new"), 7, 1_000)).as("nothing is known of it").isEqualTo(7);
    assertThat(queue.parts()).isEqualTo(1_600);
  }

  /** What one worker holds of them is kept from the others. */
  @Test
  void fewTasksAreClaimedOfATenantUntilOneHasEnded() {
    flows.apply(rules(tenant -> tenant == whale ? 3 : 1, tenant -> 0));
    assertThat(queue.wanted(whale, 1_000, 1_000)).isEqualTo(16);
    assertThat(queue.missing(whale)).isEqualTo(16);
    hold(whale, kinds);
    assertThat(queue.isSated(whale)).as("also while it is alone").isTrue();
    assertThat(queue.parts()).isEqualTo(16);
    assertThat(served(1)).containsExactly("whale");
    assertThat(queue.isSated(whale)).as("a tenant that is alone has all").isFalse();
    assertThat(queue.wanted(whale, 1_000, 1_000)).isEqualTo(1_000);
  }

  @Test
  void tasksAreNotChargedForTheirHandlersWaitForTheLock() {
    AtomicLong waited = new AtomicLong();
    AtomicReference<Flows> own = new AtomicReference<>();
    Flows slow =
        new Flows(HANDLERS, HEADROOM, () -> now.get() + (isLocked(own.get()) ? waited.get() : 0));
    own.set(slow);
    WorkQueue ofSlow = new WorkQueue(ALL_KINDS, HANDLERS, slow);
    ofSlow.add(new BatchProgress(claim(whale), false, kind -> false, false));
    TimeSlice first = Objects.requireNonNull(ofSlow.enter());
    pass(10);
    waited.set(TimeUnit.SECONDS.toNanos(1));
    TimeSlice second = Objects.requireNonNull(ofSlow.leaveForNext(first));
    assertThat(first.charge().seconds()).isEqualTo(0.010);
    // It began once the lock was there.
    pass(1_010);
    ofSlow.leave(second);
    assertThat(second.charge().seconds()).isEqualTo(0.010);
  }

  private static boolean isLocked(@Nullable Flows flows) {
    return flows != null && flows.lock().isHeldByCurrentThread();
  }

  @Test
  void byWeightAThreadClaimsWhatTheClaimOfAnotherLeaves() throws InterruptedException {
    assertThat(leftByAClaim()).as("where all have the same weight").isZero();
    flows.apply(rules(tenant -> tenant == whale ? 3 : 1, tenant -> 0));
    // Little is claimed of a tenant of which none has ended.
    assertThat(leftByAClaim()).isEqualTo(FAST - 16);
    try (Reservation all = kinds.reserve()) {
      assertThat(all.tasks()).as("the claims are over").isEqualTo(FAST);
    }
  }

  /** Claims of a tenant; returns what other threads may claim meanwhile. */
  private int leftByAClaim() throws InterruptedException {
    rota.tenants().get("whale").enqueueAll(Collections.nCopies(BATCH, NewTask.of("k", "{}")));
    kinds.tenants().changed(whale, ClaimRequest.ALL_SLOTS);
    AtomicInteger left = new AtomicInteger();
    ClaimSize size = new ClaimSize(kernel().registry().tables());
    try (ClaimLoop loop =
            new ClaimLoop(
                kernel().database(),
                kernel().registry(),
                queues,
                new Taking(kernel().rules(), left),
                new ClaimLoop.Share(0, size));
        Reservation reserved = kinds.reserve()) {
      assertThat(loop.fetch(kinds, reserved, BATCH)).isTrue();
    }
    return left.get();
  }

  /** Looks what is left for others while a claim is handed on. */
  private record Taking(TaskRules.Source rules, AtomicInteger left) implements ClaimLoop.Taker {

    @Override
    public void take(KindQueue kinds, ClaimResult claim) {
      try (Reservation reserved = kinds.reserve()) {
        left.set(reserved.tasks());
      }
    }

    @Override
    public void lose(ClaimResult claim) {
      throw new AssertionError(claim + " is lost");
    }

    @Override
    public @Nullable TaskObserver observer() {
      return null;
    }
  }

  /** How many of so many tasks that run 10 ms each are of a tenant. */
  private int servedOf(int tenant, int tasks) {
    return Collections.frequency(served(tasks), tenant == whale ? "whale" : "small");
  }

  private List<String> served(int tasks) {
    List<String> served = new ArrayList<>();
    while (served.size() < tasks) {
      TimeSlice slice = enter();
      served.add(task(slice.current()).tenant());
      pass(10);
      queue.leave(slice);
    }
    return served;
  }

  private static TaskRules rules(IntToDoubleFunction weights, IntUnaryOperator tiers) {
    return new TaskRules() {
      @Override
      public Pauses pauses(int tenant) {
        return Pauses.NONE;
      }

      @Override
      public double weight(int tenant) {
        return weights.applyAsDouble(tenant);
      }

      @Override
      public int tier(int tenant) {
        return tiers.applyAsInt(tenant);
      }

      @Override
      public boolean areUneven() {
        return true;
      }
    };
  }

  @Test
  void whatIsTakenOutLeavesTheOthersInTheirOrder() {
    hold(whale, kinds);
    hold(small, kinds);
    hold(whale, kinds);
    List<Piece> taken =
        queue.takeOut(tenant -> tenant == whale, piece -> task(piece).id() % 2 == 0);
    assertThat(taken).hasSize(BATCH);
    assertThat(queue.runnable()).isEqualTo(2 * BATCH);
    List<ClaimedTask> left = drained();
    assertThat(left).filteredOn(task -> task.tenant().equals("small")).hasSize(BATCH);
    assertThat(left)
        .filteredOn(task -> task.tenant().equals("whale"))
        .extracting(ClaimedTask::id)
        .hasSize(BATCH)
        .allMatch(id -> id % 2 == 1)
        .isSorted();
    assertThat(queue.takeOut(tenant -> true, piece -> true)).isEmpty();
  }

  private List<ClaimedTask> drained() {
    List<ClaimedTask> tasks = new ArrayList<>();
    for (Piece piece = queue.drain(); piece != null; piece = queue.drain()) {
      tasks.add(task(piece));
    }
    return tasks;
  }

  private static ClaimedTask task(Piece piece) {
    return piece.tasks().get(0);
  }

  private void run(long millis) {
    TimeSlice slice = enter();
    pass(millis);
    queue.leave(slice);
  }

  /** Takes pieces, and begins the first. */
  private TimeSlice enter() {
    TimeSlice slice = queue.enter();
    assertThat(slice).isNotNull();
    queue.begun(slice.current());
    return slice;
  }

  private void hold(int tenant, KindQueue by) {
    queue.add(new BatchProgress(claim(tenant), by.besides(), kind -> false, false));
  }

  private ClaimedBatch claim(int tenant) {
    ClaimRequest request =
        new ClaimRequest(kernel().registry().get(tenant), BATCH, ClaimRequest.ALL_SLOTS, false);
    Tenant named = rota.tenants().get(kernel().registry().get(tenant).state().name());
    named.enqueueAll(Collections.nCopies(BATCH, NewTask.of("k", "{}")));
    ClaimedBatch batch = kinds.claimer().claim(List.of(request)).get(0).batch();
    assertThat(batch.tasks()).hasSize(BATCH);
    return batch;
  }

  private int register(String name) {
    return rota.tenants().register(name).number();
  }

  private Kernel kernel() {
    return DefaultRota.kernelOf(rota);
  }

  private void pass(long millis) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }
}
