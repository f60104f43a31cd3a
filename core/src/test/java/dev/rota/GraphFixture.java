package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.Graphs;
import dev.rota.graph.NodeState;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A tenant whose graphs run on request of a test, one kind at a time. */
final class GraphFixture extends RotaFixture {

  private final Tenant tenant;

  GraphFixture(TestDatabase database) {
    super(database);
    this.tenant = tenant("acme");
  }

  Tenant tenant() {
    return tenant;
  }

  Graphs graphs() {
    return tenant.graphs();
  }

  /** Runs whatever is pending, and nothing that begins because of it; returns the kinds. */
  List<String> run() {
    return run(kind -> true);
  }

  /** The same, where tasks of some kinds die. */
  List<String> run(Predicate<String> succeeds) {
    List<String> kinds = new ArrayList<>();
    try (Batch batch = tenant.claim(1_000)) {
      for (Task task : batch) {
        kinds.add(task.kind());
        if (!succeeds.test(task.kind())) {
          batch.dead(task, "broken");
        }
      }
      batch.settle();
    }
    kinds.sort(null);
    return kinds;
  }

  /** Waits until the news of tasks that ended without running has reached all. */
  void awaitSpread() throws Exception {
    Await.until("the news is spread", () -> number("select count(*) from rota_1.task_spread_1"), 0);
  }

  void assertStates(EnqueuedGraph graph, Map<NodeState, Integer> expected) {
    Map<NodeState, Integer> found = new EnumMap<>(NodeState.class);
    graphs()
        .find(graph.id())
        .orElseThrow()
        .counts()
        .forEach(
            (state, count) -> {
              if (count > 0) {
                found.put(state, count.intValue());
              }
            });
    assertThat(found).isEqualTo(expected);
  }

  void assertCounts(Map<TaskState, Integer> expected) {
    Map<TaskState, Integer> found = new EnumMap<>(TaskState.class);
    tenant
        .history()
        .scanStates()
        .forEach(
            (state, count) -> {
              if (count > 0) {
                found.put(state, count.intValue());
              }
            });
    assertThat(found).isEqualTo(expected);
  }

  /** The error texts of what was cancelled, by id. */
  List<String> reasons() throws SQLException {
    return texts("select error from rota_1.task_hist_1 where state = 'cancelled' order by id");
  }
}
