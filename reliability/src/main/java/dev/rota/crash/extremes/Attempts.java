package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the history of some tenants, once everything has come to rest. */
final class Attempts {

  private static final String DONE = "done";
  private static final String LOST = "lost";
  private static final List<TaskState> OPEN =
      List.of(TaskState.PENDING, TaskState.WAITING, TaskState.RUNNING);

  private record Attempt(long task, int number) {}

  private final Map<Long, List<String>> states = new HashMap<>();
  private final Map<Attempt, Long> lostAt = new HashMap<>();
  private long left;

  private Attempts() {}

  /**
   * Waits until no task is pending, waiting or running. The server may have been killed a moment
   * ago: for half a second the pool lends connections that died with it.
   */
  static void awaitRest(List<Tenant> tenants, Duration longest) {
    Await.until(
        "nothing is left",
        longest,
        () -> Await.success("count the tasks that are left", () -> left(tenants)),
        0);
  }

  private static long left(List<Tenant> tenants) {
    return tenants.stream()
        .map(tenant -> tenant.history().scanStates())
        .mapToLong(counts -> OPEN.stream().mapToLong(state -> counts.getOrDefault(state, 0L)).sum())
        .sum();
  }

  static Attempts read(ControlledServer server, List<Tenant> tenants) throws SQLException {
    Attempts attempts = new Attempts();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (Tenant tenant : tenants) {
        attempts.readHistory(statement, tenant.number());
        attempts.countLeft(statement, tenant.number());
      }
    }
    return attempts;
  }

  /** The states of the attempts of a task. */
  List<String> of(long task) {
    return states.getOrDefault(task, List.of());
  }

  /**
   * The time at which an attempt was taken from its worker, in milliseconds since 1970; empty if it
   * was not.
   */
  Optional<Long> lostAt(long task, int attempt) {
    return Optional.ofNullable(lostAt.get(new Attempt(task, attempt)));
  }

  /** The number of tasks with an attempt. */
  int tasks() {
    return states.size();
  }

  /**
   * Checks that each of these was done, no task was done twice, and none is pending, waiting or
   * running.
   */
  void assertDoneOnce(Collection<Long> acknowledged) {
    assertThat(acknowledged.stream().filter(id -> !of(id).contains(DONE)).limit(20).toList())
        .as("acknowledged and lost, of " + acknowledged.size())
        .isEmpty();
    assertThat(states.entrySet())
        .as("each done once")
        .allSatisfy(
            each ->
                assertThat(each.getValue().stream().filter(DONE::equals).count())
                    .as("done attempts of task " + each.getKey() + ": " + each.getValue())
                    .isEqualTo(1));
    assertThat(left).as("pending or waiting").isZero();
  }

  private void readHistory(Statement statement, int tenant) throws SQLException {
    String query =
        "select id, state, attempt, extract(epoch from finished_at) * 1000"
            + " from rota_%1$d.task_hist_%1$d order by id, attempt";
    try (ResultSet rows = statement.executeQuery(query.formatted(tenant))) {
      while (rows.next()) {
        long task = rows.getLong(1);
        String state = rows.getString(2);
        states.computeIfAbsent(task, unused -> new ArrayList<>()).add(state);
        if (state.equals(LOST)) {
          lostAt.put(new Attempt(task, rows.getInt(3)), rows.getLong(4));
        }
      }
    }
  }

  private void countLeft(Statement statement, int tenant) throws SQLException {
    String query = "select count(*) from rota_%1$d.task_init_%1$d";
    try (ResultSet row = statement.executeQuery(query.formatted(tenant))) {
      row.next();
      left += row.getLong(1);
    }
  }
}
