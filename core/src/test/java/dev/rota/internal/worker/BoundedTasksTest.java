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
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.internal.claim.TaskRules.Pauses;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.worker.BatchProgress.Piece;
import dev.rota.internal.worker.WorkerConfig.KindSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which of the tasks that rules bound begin first, and which are asked for in vain. */
@RotaTest
class BoundedTasksTest {

  private static final int HANDLERS = 32;

  private final Flows flows = new Flows(HANDLERS, 0, System::nanoTime);
  private final WorkQueue queue =
      new WorkQueue(new KindSettings.Group(Set.of(), KindSettings.Group.NO_LIMIT), HANDLERS, flows);
  private final BoundedTasks bounded = new BoundedTasks(flows, HANDLERS);
  private final Map<Integer, Slots> slotsOf = new HashMap<>();
  private final List<Piece> begun = new ArrayList<>();

  private final TaskRules rules =
      new TaskRules() {

        @Override
        public Pauses pauses(int tenant) {
          return Pauses.NONE;
        }

        @Override
        public Bound bound(int tenant, String kind) {
          return slots(tenant);
        }
      };

  @Given private Rota rota;

  /** Slots of which a task takes one. */
  private static final class Slots implements Bound {
    private int free;
    private int asked;
    private int waiting;

    @Override
    public @Nullable Object lacks() {
      asked++;
      return free > 0 ? null : this;
    }

    @Override
    public Collection<?> gives() {
      return List.of(this);
    }

    @Override
    public boolean tryBegin() {
      free--;
      return true;
    }

    @Override
    public void end(long nanos) {
      free++;
    }

    @Override
    public void waiting(int more) {
      waiting += more;
    }
  }

  @Test
  void aLineWithoutRoomIsAskedOnceUntilATaskLeavesSome() {
    int one = hold("one", 3);
    int two = hold("two", 3);
    slots(one).free = 1;
    admit();
    assertThat(begunOf(one)).isEqualTo(1);
    assertThat(begunOf(two)).isZero();
    int askedOne = slots(one).asked;
    int askedTwo = slots(two).asked;
    admit();
    assertThat(slots(one).asked).isEqualTo(askedOne);
    assertThat(slots(two).asked).isEqualTo(askedTwo);
    end(begun.get(0));
    admit();
    assertThat(begunOf(one)).isEqualTo(2);
    assertThat(slots(two).asked).as("nothing that it lacks has come").isEqualTo(askedTwo);
    slots(two).free = 5;
    admit();
    assertThat(begunOf(two)).isZero();
    bounded.reopen();
    admit();
    assertThat(begunOf(two)).isEqualTo(3);
    assertThat(slots(one).waiting).isEqualTo(1);
    assertThat(slots(two).waiting).isZero();
  }

  @Test
  void theTenantThatHasHadTheLeastIsFirst() {
    int much = hold("much", 4);
    int little = hold("little", 4);
    flows.look(() -> charge(much, 1));
    slots(much).free = 4;
    slots(little).free = 4;
    admit();
    assertThat(tenants()).startsWith(little, little, little, little).endsWith(much, much);
  }

  @Test
  void aTenantThatIsChargedMeanwhileComesLater() {
    int first = hold("first", 2);
    int second = hold("second", 2);
    flows.look(() -> charge(second, 1));
    flows.look(() -> charge(first, 2));
    slots(first).free = 2;
    slots(second).free = 2;
    admit();
    assertThat(tenants()).containsExactly(second, second, first, first);
  }

  @Test
  void takingTasksOutEndsTheirLines() {
    int open = hold("open", 2);
    int parked = hold("parked", 2);
    slots(open).free = 0;
    bounded.admit();
    int later = hold("later", 2);
    assertThat(bounded.count()).isEqualTo(6);
    assertThat(bounded.takeOut(piece -> tenantOf(piece) == parked)).hasSize(2);
    assertThat(bounded.takeOut(piece -> true)).hasSize(4);
    assertThat(bounded.isEmpty()).isTrue();
    for (int tenant : List.of(open, parked, later)) {
      assertThat(slots(tenant).waiting).isZero();
      slots(tenant).free = 2;
    }
    bounded.reopen();
    admit();
    assertThat(begun).isEmpty();
  }

  private boolean charge(int tenant, double seconds) {
    flows.of(tenant).charge(seconds);
    return true;
  }

  /** Claims tasks of a tenant, which wait for slots from now on. */
  private int hold(String tenant, int tasks) {
    Tenant named = rota.tenants().register(tenant);
    named.enqueueAll(Collections.nCopies(tasks, NewTask.of("k", "{}")));
    Kernel kernel = DefaultRota.kernelOf(rota);
    ClaimRequest request =
        new ClaimRequest(
            kernel.registry().get(named.number()), tasks, ClaimRequest.ALL_SLOTS, false);
    BatchProgress run =
        new BatchProgress(
            kernel.claimers().claimer(null, BatchEnd.OPEN).claim(List.of(request)).get(0).batch(),
            false,
            kind -> false,
            false);
    List<Piece> pieces = run.takePieces();
    assertThat(pieces).hasSize(tasks);
    bounded.add(queue, pieces, rules);
    return named.number();
  }

  private Slots slots(int tenant) {
    return slotsOf.computeIfAbsent(tenant, unused -> new Slots());
  }

  /** Lets tasks begin, all that may. */
  private void admit() {
    bounded.admit();
    for (Piece piece = queue.drain(); piece != null; piece = queue.drain()) {
      queue.begun(piece);
      begun.add(piece);
      bounded.left();
    }
  }

  private void end(Piece piece) {
    boolean unused = piece.finish(piece.tasks().stream().map(Outcome::done).toList());
    bounded.ended(piece);
  }

  private long begunOf(int tenant) {
    return begun.stream().filter(piece -> tenantOf(piece) == tenant).count();
  }

  private List<Integer> tenants() {
    return begun.stream().map(BoundedTasksTest::tenantOf).toList();
  }

  private static int tenantOf(Piece piece) {
    return piece.run().batch().tenant().number();
  }
}
