package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch.SettleResult;
import dev.rota.graph.DeadParent;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.NodeState;
import dev.rota.graph.TaskGraph;
import dev.rota.graph.internal.NodeCode;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.Settler;
import dev.rota.testing.Faults;
import dev.rota.testing.Faults.Moment;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests graphs with many concurrent workers, or with failures in between. */
@RotaTest
@PostgresVersions({15, 18})
class GraphRaceTest {

  private static final int THREADS = 4;

  private final Faults faults = new Faults();
  private final TaskGraph.Builder builder = TaskGraph.builder();
  @Given private GraphFixture fixture;
  private Tenant acme;

  @BeforeEach
  void open() {
    acme = fixture.observed(faults).tenants().get("acme");
  }

  @Test
  void theLastTwoParentsThatEndAtOnceReleaseTheirChildOnce() throws Exception {
    TaskGraph.Node left = builder.add(task("left"));
    TaskGraph.Node right = builder.add(task("right"));
    TaskGraph.Node child = builder.add(task("child")).dependsOn(left, right);
    EnqueuedGraph graph = acme.graphs().enqueue(builder.build());
    Batch first = acme.claim(1);
    Batch second = acme.claim(1);
    try (Connection holder = fixture.database().connect()) {
      holder.setAutoCommit(false);
      RotaFixture.texts(
          holder,
          "select id from rota_1.task_node_1 where id = " + graph.taskId(child) + " for update");
      CompletableFuture<SettleResult> one =
          InBackground.supply(() -> Again.whileLocked(first::settle));
      CompletableFuture<SettleResult> two =
          InBackground.supply(() -> Again.whileLocked(second::settle));
      fixture.awaitBlocked(2);
      holder.rollback();
      assertThat(one.get()).isEqualTo(two.get()).isEqualTo(new SettleResult(1, 0));
    }
    assertThat(fixture.run()).containsExactly("child");
    assertThat(fixture.run()).isEmpty();
    fixture.assertStates(graph, Map.of(NodeState.DONE, 3));
  }

  @ParameterizedTest
  @CsvSource({
    "BEFORE, lock nodes",
    "AFTER, lock nodes",
    "AFTER, end nodes",
    "BEFORE, commit",
    "AFTER, commit"
  })
  @Tag("exhaustive")
  void settlingAgainAfterALostConnectionReleasesOnce(Moment moment, String call) throws Exception {
    TaskGraph.Node parent = builder.add(task("parent"));
    TaskGraph.Node dead = builder.add(task("dead"));
    builder.add(task("child")).dependsOn(parent);
    builder.add(task("clean")).dependsOn(parent, dead).onDeadParent(DeadParent.RELEASE);
    EnqueuedGraph graph = acme.graphs().enqueue(builder.build());
    Batch batch = acme.claim(2);
    batch.dead(batch.tasks().get(1), "broken");
    faults.at(moment, call).byThisThread().fail();
    assertThatThrownBy(batch::settle).isInstanceOf(DatabaseException.class);
    assertThat(batch.settle()).isEqualTo(new SettleResult(2, 0));
    assertThat(fixture.run()).containsExactly("child", "clean");
    fixture.assertStates(graph, Map.of(NodeState.DONE, 3, NodeState.DEAD, 1));
  }

  @Test
  void anInterimSettleThatIsRepeatedReleasesOnce() {
    TaskGraph.Node parent = builder.add(task("parent"));
    TaskGraph.Node other = builder.add(task("other"));
    builder.add(task("child")).dependsOn(parent, other);
    EnqueuedGraph graph = acme.graphs().enqueue(builder.build());
    Kernel kernel = DefaultRota.kernelOf(fixture.rota());
    ClaimedBatch batch =
        kernel
            .claimers()
            .claimer(null, BatchEnd.OPEN)
            .claim(
                List.of(
                    new ClaimRequest(kernel.registry().get(1), 2, ClaimRequest.ALL_SLOTS, true)))
            .get(0)
            .batch();
    Settler settler = kernel.settler();
    List<Outcome> done = List.of(Outcome.done(batch.tasks().get(0)));
    settler.settle(List.of(new Settlement(batch, done, false)));
    settler.settle(List.of(new Settlement(batch, done, false)));
    fixture.assertStates(
        graph, Map.of(NodeState.DONE, 1, NodeState.ACTIVE, 1, NodeState.BLOCKED, 1));
    List<Outcome> all = batch.tasks().stream().map(Outcome::done).toList();
    settler.settle(List.of(new Settlement(batch, all, true)));
    assertThat(fixture.run()).containsExactly("child");
    fixture.assertStates(graph, Map.of(NodeState.DONE, 3));
  }

  @Test
  void whoLostItsLeaseReleasesNobody() throws Exception {
    TaskGraph.Node parent = builder.add(task("parent"));
    builder.add(task("child")).dependsOn(parent);
    acme.graphs().enqueue(builder.build());
    Batch zombie = acme.claim(1);
    // As if its worker had been found dead: the batch is closed, its task is pending again.
    assertThat(fixture.tenant().control().requeueRunning(Duration.ZERO)).isOne();
    assertThat(zombie.settle()).isEqualTo(new SettleResult(0, 1));
    assertThat(fixture.run()).containsExactly("parent");
    assertThat(fixture.run()).containsExactly("child");
  }

  @Test
  void aGraphThatIsBeingEnqueuedHoldsUpTheEndOfTasksItDependsOn() throws Exception {
    TaskGraph.Node parent = builder.add(task("parent"));
    EnqueuedGraph earlier = acme.graphs().enqueue(builder.build());
    Batch batch = acme.claim(1);
    TaskGraph.Builder later = TaskGraph.builder();
    later.add(task("child")).dependsOnTasks(earlier.taskId(parent));
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      acme.graphs().enqueue(connection, later.build());
      CompletableFuture<SettleResult> settle =
          InBackground.supply(() -> Again.whileLocked(batch::settle));
      fixture.awaitBlocked(1);
      connection.commit();
      assertThat(settle.get()).isEqualTo(new SettleResult(1, 0));
    }
    assertThat(fixture.run()).containsExactly("child");
  }

  @Test
  void theFirstGraphsOfATenantMayComeAtOnce() throws Exception {
    builder.add(task("k"));
    TaskGraph graph = builder.build();
    CyclicBarrier together = new CyclicBarrier(THREADS);
    List<CompletableFuture<EnqueuedGraph>> all = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Tenant tenant = fixture.another().tenants().get("acme");
      all.add(
          InBackground.supply(
              () -> {
                meet(together);
                return Again.whileLocked(() -> tenant.graphs().enqueue(graph));
              }));
    }
    for (CompletableFuture<EnqueuedGraph> each : all) {
      each.get();
    }
    assertThat(fixture.graphs().list(10)).hasSize(THREADS);
    assertThat(fixture.run()).hasSize(THREADS);
  }

  @Test
  @Tag("exhaustive")
  void aRandomGraphEndsAsItsRulesSayWhoeverWorksAtIt() throws Exception {
    long seed = new Random().nextLong();
    Model model = new Model(new Random(seed), 400);
    EnqueuedGraph graph = acme.graphs().enqueue(model.graph());
    Map<Long, Integer> positions = new HashMap<>();
    graph.taskIds().forEach(id -> positions.put(id, positions.size()));
    Set<Integer> ended = ConcurrentHashMap.newKeySet();
    AtomicLong violated = new AtomicLong();
    List<CompletableFuture<Void>> workers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Tenant tenant = fixture.another().tenants().get("acme");
      Random random = new Random(seed + i);
      workers.add(
          InBackground.run(
              () -> {
                while (!tenant.graphs().find(graph.id()).orElseThrow().isFinished()) {
                  Batch batch = tenant.claim(1 + random.nextInt(7));
                  for (Task task : batch) {
                    int position = positions.get(task.id());
                    violated.addAndGet(
                        model.parentsThatRun(position).stream()
                            .filter(parent -> !ended.contains(parent))
                            .count());
                    if (task.kind().equals("dies")) {
                      batch.dead(task, "broken");
                    }
                  }
                  for (Task task : batch) {
                    ended.add(positions.get(task.id()));
                  }
                  batch.settle();
                }
              }));
    }
    for (CompletableFuture<Void> worker : workers) {
      worker.get();
    }
    fixture.awaitSpread();
    List<String> states = fixture.texts("select state from rota_1.task_node_1 order by id");
    assertThat(violated).as("seed " + seed).hasValue(0);
    assertThat(states).as("seed " + seed).isEqualTo(model.states());
    assertThat(fixture.number("select count(*) from rota_1.task_held_1")).isZero();
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static NewTask task(String kind) {
    return NewTask.of(kind, "{}");
  }

  /** A random graph whose nodes depend on earlier ones, and how it has to end. */
  private static final class Model {
    private static final List<DeadParent> POLICIES = List.of(DeadParent.values());

    private final TaskGraph.Builder builder = TaskGraph.builder();
    private final List<TaskGraph.Node> nodes = new ArrayList<>();
    private final List<List<Integer>> parents = new ArrayList<>();
    private final List<NodeState> states = new ArrayList<>();
    private final TaskGraph graph;

    Model(Random random, int size) {
      for (int i = 0; i < size; i++) {
        add(random, i);
      }
      graph = builder.build();
    }

    TaskGraph graph() {
      return graph;
    }

    /** As the column has them, in the order of the ids, which is a topological one. */
    List<String> states() {
      return graph.inOrder().stream().map(node -> numberOf(states.get(node.position()))).toList();
    }

    List<Integer> parentsThatRun(int position) {
      return parents.get(position).stream().filter(this::runs).toList();
    }

    private static String numberOf(NodeState state) {
      return Arrays.stream(NodeCode.values())
          .filter(code -> code.state() == state)
          .map(code -> Short.toString(code.code()))
          .findFirst()
          .orElseThrow();
    }

    private boolean runs(int position) {
      return states.get(position) == NodeState.DONE || states.get(position) == NodeState.DEAD;
    }

    private void add(Random random, int position) {
      boolean dies = random.nextInt(8) == 0;
      DeadParent policy = POLICIES.get(random.nextInt(POLICIES.size()));
      TaskGraph.Node node = builder.add(task(dies ? "dies" : "lives")).onDeadParent(policy);
      List<Integer> own = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0 && position > 0; i--) {
        int parent = Math.max(0, position - 1 - random.nextInt(40));
        own.add(parent);
        node.dependsOn(nodes.get(parent));
      }
      nodes.add(node);
      parents.add(own);
      states.add(end(dies, policy, own));
    }

    private NodeState end(boolean dies, DeadParent policy, List<Integer> own) {
      boolean dead =
          own.stream()
              .map(states::get)
              .anyMatch(state -> state == NodeState.DEAD || state == NodeState.CANCELLED);
      if (dead && policy != DeadParent.RELEASE) {
        return policy == DeadParent.SKIP ? NodeState.SKIPPED : NodeState.CANCELLED;
      }
      return dies ? NodeState.DEAD : NodeState.DONE;
    }
  }
}
