package dev.rota.crash.model;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.NewTask;
import dev.rota.Task;
import dev.rota.TaskKey;
import dev.rota.Tenant;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.crash.points.PointsEnvironment;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A fresh tenant of Rota beside its model: each command runs on both, and the results are compared.
 * Used by one thread.
 */
final class ModelEnvironment implements AutoCloseable {

  private static final String AGO = " = now() - interval '8 days'";

  private final PointsEnvironment server;
  private final Tenant tenant;
  private final Model model;
  private final List<Lent> batches = new ArrayList<>();

  /** A batch on both sides. */
  private record Lent(Batch batch, Model.Held held) {}

  ModelEnvironment(PointsEnvironment server, ModelAssumptions rules) {
    this.server = server;
    this.tenant = server.tenant();
    this.model = new Model(rules);
  }

  /** Fails unless both sides are in the same state. */
  void compare() throws SQLException {
    same(
        "pending and waiting",
        model.rows(),
        texts(
            "select id || ' ' || state || ' after ' || attempt || ' of priority ' || priority"
                + " || ' as ' || kind || coalesce(' key ' || key, '')"
                + " from rota_%1$d.task_init_%1$d"));
    same(
        "history",
        model.history(),
        texts(
            "select id || ' ' || state || ' attempt ' || attempt || ' in segment ' || segment"
                + " from rota_%1$d.task_hist_%1$d"));
  }

  private static void same(String what, List<String> expected, List<String> found) {
    List<String> missing = without(expected, found);
    List<String> tooMany = without(found, expected);
    require(
        missing.isEmpty() && tooMany.isEmpty(),
        what + " differ: the model has also " + missing + ", Rota has also " + tooMany);
  }

  private static List<String> without(List<String> some, List<String> others) {
    List<String> left = new ArrayList<>(some);
    others.forEach(left::remove);
    return left;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private static void same(String what, long expected, long found) {
    require(expected == found, what + ": the model says " + expected + ", Rota " + found);
  }

  void enqueue(String kind, int count, int priority, boolean delayed) {
    NewTask task = NewTask.of(kind, kind).priority(priority);
    NewTask each = delayed ? task.after(Duration.ofHours(1)) : task;
    tenant
        .enqueueAll(Collections.nCopies(count, each))
        .forEach(id -> model.add(id, kind, priority, delayed));
  }

  void enqueueKeyed(String key, int priority) {
    Long holder = model.holderOf(key);
    NewTask task = NewTask.of(Command.KEYED, key).withKey(key).priority(priority);
    long id = tenant.enqueueAll(List.of(task)).get(0);
    if (holder == null) {
      model.addKeyed(id, key, priority);
    } else {
      same("the task that has key " + key, holder, id);
    }
  }

  void enqueueVersion(String key, int version, int priority) {
    Long holder = model.holderOf(key);
    NewTask task =
        NewTask.of(Command.VERSIONED, "version " + version)
            .withKey(TaskKey.versioned(key, version))
            .priority(priority);
    long id = tenant.enqueueAll(List.of(task)).get(0);
    if (holder != null) {
      same("the task that has key " + key, holder, id);
    }
    model.addVersion(id, key, version, priority);
  }

  void claim(int max) {
    List<Integer> priorities = model.claimable(max);
    Batch batch = tenant.claim(max);
    List<Long> ids = batch.tasks().stream().map(Task::id).toList();
    batch.tasks().forEach(this::checkClaimed);
    List<Integer> found =
        ids.stream()
            .map(id -> Objects.requireNonNull(model.row(id)).priority())
            .sorted(Comparator.reverseOrder())
            .toList();
    require(
        priorities.equals(found),
        "a claim of " + max + " gave tasks of priorities " + found + ", not " + priorities);
    if (!ids.isEmpty()) {
      batches.add(new Lent(batch, model.claim(ids)));
    }
  }

  private void checkClaimed(Task task) {
    Row found = model.row(task.id());
    require(found != null && found.isPending(), task + " was claimed, which is not pending");
    Row row = Objects.requireNonNull(found);
    require(row.label().kind().equals(task.kind()), task + " was claimed, instead of " + row);
    same("the attempt of " + task, row.attempt() + 1L, task.attempt());
    Integer version = model.versionOf(row);
    String payload =
        version != null
            ? "version " + version
            : row.label().key() == null ? row.label().kind() : row.label().key();
    require(
        task.payload().equals(payload),
        task + " has payload " + task.payload() + ", not " + payload);
  }

  void settle(int index, List<ModelOutcome> outcomes) {
    if (batches.isEmpty()) {
      return;
    }
    Lent lent = batches.remove(index % batches.size());
    Map<Long, ModelOutcome> reported = new HashMap<>();
    List<Task> tasks = lent.batch().tasks();
    for (int i = 0; i < Math.min(outcomes.size(), tasks.size()); i++) {
      report(lent.batch(), tasks.get(i), outcomes.get(i));
      reported.put(tasks.get(i).id(), outcomes.get(i));
    }
    int size = tasks.size();
    SettleResult expected =
        lent.held().isOpen() ? new SettleResult(size, 0) : new SettleResult(0, size);
    SettleResult found = lent.batch().settle();
    require(found.equals(expected), "settle returned " + found + ", not " + expected);
    if (lent.held().isOpen()) {
      model.settle(lent.held(), reported);
    }
  }

  private static void report(Batch batch, Task task, ModelOutcome outcome) {
    switch (outcome) {
      case DONE -> {}
      case FAIL -> batch.fail(task, "failed", Duration.ZERO);
      case FAIL_FOR_LONG -> batch.fail(task, "failed", Duration.ofHours(1));
      case KILL -> batch.dead(task, "killed");
      case RELEASE -> batch.release(task);
    }
  }

  void handBack(int index) {
    if (!batches.isEmpty()) {
      Lent lent = batches.remove(index % batches.size());
      lent.batch().close();
      model.giveBack(lent.held(), false);
    }
  }

  /** Ends the lease of the batch; its holder will notice later. */
  void expire(int index) throws SQLException {
    if (!batches.isEmpty()) {
      Lent lent = batches.get(index % batches.size());
      server.execute(
          "insert into rota.worker (id, host, lease, started_at, heartbeat_at) values"
              + " (-1, 'dead', interval '0', now(), now() - interval '1 hour')"
              + " on conflict do nothing");
      server.execute("update rota.task_batch_1 set worker = -1 where id = " + lent.batch().id());
      server.daemon().perform("look for dead workers");
      model.giveBack(lent.held(), true);
    }
  }

  void returnRunning() {
    long expected =
        batches.stream()
            .filter(lent -> lent.held().isOpen())
            .mapToLong(lent -> lent.held().returning())
            .sum();
    same("tasks taken back", expected, tenant.control().requeueRunning(Duration.ZERO));
    batches.forEach(lent -> model.giveBack(lent.held(), true));
  }

  void hurry() throws SQLException {
    execute(
        "update rota_%1$d.task_wait_%1$d set run_at = now() - interval '1 second'"
            + " where run_at > now()");
    model.hurry();
  }

  void promote() throws SQLException {
    server.daemon().perform("look for due tasks");
    model.promote();
  }

  /**
   * Rotates. Whether a ring is switched depends on its size, which must not matter for any task.
   */
  void rotate() throws SQLException {
    execute(
        "update rota.tenant set lane_rotated_at = array_fill("
            + "now() - interval '8 days', array[cardinality(priorities)], array[0])"
            + " where number = %1$d");
    String duty = "rotate rings";
    server.daemon().perform("look for due rotations", duty, duty, duty);
  }

  void openSegment() throws SQLException {
    execute("update rota.segment set opened_at" + AGO + " where tenant = %1$d");
    server.daemon().perform("look for due rotations", "open segments of history");
    long current = number("select current_segment from rota.tenant where number = %1$d");
    boolean used = model.attemptsIn(model.segment()) > 0;
    same("the segment to write to", model.segment() + (used ? 1L : 0L), current);
    model.writeTo((int) current);
  }

  void dropSegments() throws SQLException {
    execute(
        "update rota.segment set sealed_at" + AGO + " where tenant = %1$d and sealed_at < now()");
    List<String> sealed =
        texts(
            "select seq from rota.segment where tenant = %1$d and sealed_at < now()"
                + " and dropped_at is null");
    String duty = "drop old segments of history";
    server.daemon().perform(Collections.nCopies(sealed.size() + 1, duty).toArray(String[]::new));
    for (String each : sealed) {
      checkDropped(Integer.parseInt(each));
    }
  }

  private void checkDropped(int seq) throws SQLException {
    List<String> rows =
        texts(
            "select rows from rota.segment where tenant = %1$d and dropped_at is not null"
                + " and seq = "
                + seq);
    require(
        rows.isEmpty() == model.isInUse(seq),
        "segment " + seq + (rows.isEmpty() ? " was not dropped" : " was dropped while in use"));
    if (!rows.isEmpty()) {
      same("rows of segment " + seq, model.attemptsIn(seq), Long.parseLong(rows.get(0)));
      model.drop(seq);
    }
  }

  void cancel(String kind) {
    long cancelled = tenant.control().cancel(TaskFilter.all().kind(kind), "not wanted");
    same("tasks cancelled", model.cancel(kind), cancelled);
  }

  void cancelRunning(String kind) {
    long asked = tenant.control().requestCancel(TaskFilter.all().kind(kind), "not wanted");
    same("tasks asked to end", model.ask(batches.stream().map(Lent::held), kind), asked);
  }

  void redrive(String kind) {
    long redriven = tenant.control().redrive(Redrive.all().kind(kind));
    same("tasks redriven", model.redrive(kind), redriven);
  }

  void changePriority(String kind, int priority) {
    long changed = tenant.control().changePriority(TaskFilter.all().kind(kind), priority);
    same("tasks of another priority", model.changePriority(kind, priority), changed);
  }

  private void execute(String sql) throws SQLException {
    server.execute(sql.formatted(tenant.number()));
  }

  private List<String> texts(String sql) throws SQLException {
    return server.texts(sql.formatted(tenant.number()));
  }

  private long number(String sql) throws SQLException {
    return Long.parseLong(texts(sql).get(0));
  }

  @Override
  public void close() throws SQLException {
    batches.forEach(lent -> lent.batch().close());
    execute("drop schema rota_%1$d cascade");
    execute("delete from rota.tenant where number = %1$d");
  }
}
