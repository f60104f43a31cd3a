package dev.rota.crash.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model of a tenant in memory: its pending, waiting and finished tasks, and its keys, by the
 * rules of the documents. Used by one thread.
 */
final class Model {

  private final ModelAssumptions rules;
  private final Map<Long, Row> rows = new LinkedHashMap<>();
  private final List<ModelAttempt> history = new ArrayList<>();
  private final Map<String, Key> keys = new HashMap<>();
  private int segment = 1;

  /** The holder of a key, and its version if it has one. */
  private static final class Key {
    private final long task;
    private @Nullable Integer version;
    private boolean live = true;
    private int priority;

    Key(long task, @Nullable Integer version, int priority) {
      this.task = task;
      this.version = version;
      this.priority = priority;
    }
  }

  /** A batch in the model. */
  static final class Held {
    private final Map<Long, ModelAttempt> tasks = new LinkedHashMap<>();
    private final Map<Long, Integer> versions = new HashMap<>();
    private final Set<Long> asked = new HashSet<>();
    private boolean open = true;

    boolean isOpen() {
      return open;
    }

    /** The number of its tasks that are pending again when it goes back. */
    long returning() {
      return (long) tasks.size() - asked.size();
    }
  }

  Model(ModelAssumptions rules) {
    this.rules = rules;
  }

  /** The rows of the view of pending and waiting tasks. */
  List<String> rows() {
    return rows.values().stream().map(Row::toString).sorted().toList();
  }

  /** The rows of the view of history. */
  List<String> history() {
    return history.stream().map(ModelAttempt::toString).sorted().toList();
  }

  long pending() {
    return rows.values().stream().filter(Row::isPending).count();
  }

  /** The number of attempts in a segment. */
  long attemptsIn(int seq) {
    return history.stream().filter(past -> past.segment() == seq).count();
  }

  void add(long id, String kind, int priority, boolean delayed) {
    rows.put(id, Row.added(new Row.Label(id, kind, null), priority, delayed));
  }

  /** Returns the holder of the key, if there is one. */
  @Nullable Long holderOf(String key) {
    Key holder = keys.get(key);
    return holder == null ? null : holder.task;
  }

  void addKeyed(long id, String key, int priority) {
    keys.put(key, new Key(id, null, priority));
    rows.put(id, Row.added(new Row.Label(id, Command.KEYED, key), priority, false));
  }

  /** Adds a version: it is a new task, or brings another run, or wakes a waiting one. */
  void addVersion(long id, String key, int version, int priority) {
    Key known = keys.get(key);
    if (known == null) {
      keys.put(key, new Key(id, version, priority));
      rows.put(id, Row.added(new Row.Label(id, Command.VERSIONED, key), priority, false));
    } else if (known.version != null && version > known.version) {
      renew(known, key, version, priority);
    }
  }

  private void renew(Key known, String key, int version, int priority) {
    known.version = version;
    known.priority = priority;
    Row row = rows.get(known.task);
    if (!known.live) {
      known.live = true;
      rows.put(
          known.task,
          Row.added(new Row.Label(known.task, Command.VERSIONED, key), priority, false));
    } else if (row != null && !row.isPending()) {
      rows.put(known.task, row.with(0, Row.Wait.NOT));
    }
  }

  /** The priorities that a claim of up to {@code max} tasks must return, the highest first. */
  List<Integer> claimable(int max) {
    return rows.values().stream()
        .filter(Row::isPending)
        .map(Row::priority)
        .sorted(Comparator.reverseOrder())
        .limit(max)
        .toList();
  }

  @Nullable Row row(long id) {
    return rows.get(id);
  }

  /** The version whose payload a task must have if it is claimed now. */
  @Nullable Integer versionOf(Row row) {
    Key key = keys.get(row.label().key());
    return key == null ? null : key.version;
  }

  Held claim(List<Long> ids) {
    Held held = new Held();
    for (long id : ids) {
      Row row = Objects.requireNonNull(rows.remove(id));
      ModelAttempt past =
          new ModelAttempt(row.label(), row.attempt() + 1, row.priority(), segment, "running");
      history.add(past);
      held.tasks.put(id, past);
      Integer version = versionOf(row);
      if (version != null) {
        held.versions.put(id, version);
      }
    }
    return held;
  }

  void settle(Held held, Map<Long, ModelOutcome> outcomes) {
    for (ModelAttempt past : held.tasks.values()) {
      settle(held, past, outcomes.getOrDefault(past.label().id(), ModelOutcome.DONE));
    }
    held.open = false;
  }

  private void settle(Held held, ModelAttempt past, ModelOutcome outcome) {
    boolean asked = held.asked.contains(past.label().id());
    switch (outcome) {
      case DONE -> end(held, past, "done");
      case KILL -> end(held, past, "dead");
      case RELEASE ->
          goBack(held, past, "released", past.attempt() - (rules.releaseCounts() ? 0 : 1));
      case FAIL, FAIL_FOR_LONG -> {
        if (asked) {
          end(held, past, "cancelled");
        } else {
          replace(past, "failed");
          Row.Wait wait = outcome == ModelOutcome.FAIL ? Row.Wait.DUE : Row.Wait.LONG;
          rows.put(past.label().id(), past.back(past.attempt()).with(past.attempt(), wait));
        }
      }
    }
  }

  /** Returns the whole batch to the ring: it was handed back, or its holder has lost it. */
  void giveBack(Held held, boolean lost) {
    if (held.open) {
      for (ModelAttempt past : held.tasks.values()) {
        goBack(held, past, lost ? "lost" : "released", past.attempt() - (lost ? 0 : 1));
      }
      held.open = false;
    }
  }

  private void goBack(Held held, ModelAttempt past, String state, int attempt) {
    if (held.asked.contains(past.label().id())) {
      end(held, past, "cancelled");
    } else {
      replace(past, state);
      rows.put(past.label().id(), past.back(attempt));
    }
  }

  private void end(Held held, ModelAttempt past, String state) {
    replace(past, state);
    free(past.label(), held.versions.get(past.label().id()));
  }

  private void replace(ModelAttempt past, String state) {
    history.set(history.indexOf(past), past.ended(state));
  }

  /** Frees the key of an ended task, unless a newer version has come meanwhile. */
  private void free(Row.Label label, @Nullable Integer ran) {
    Key key = label.key() == null ? null : keys.get(label.key());
    if (key == null) {
      return;
    }
    if (key.version == null) {
      keys.remove(label.key());
    } else if (ran != null && key.version > ran) {
      rows.put(label.id(), Row.added(label, key.priority, false));
    } else {
      key.live = false;
    }
  }

  /** Makes all tasks with a long wait due. */
  void hurry() {
    change(row -> row.place() == Row.Wait.LONG, row -> row.with(row.attempt(), Row.Wait.DUE));
  }

  void promote() {
    change(row -> row.place() == Row.Wait.DUE, row -> row.with(row.attempt(), Row.Wait.NOT));
  }

  private long change(Predicate<Row> which, UnaryOperator<Row> how) {
    List<Row> chosen = rows.values().stream().filter(which).toList();
    chosen.forEach(row -> rows.put(row.label().id(), how.apply(row)));
    return chosen.size();
  }

  long changePriority(String kind, int priority) {
    return change(
        row -> row.label().kind().equals(kind) && row.priority() != priority,
        row -> row.withPriority(priority));
  }

  long cancel(String kind) {
    List<Row> chosen =
        rows.values().stream().filter(row -> row.label().kind().equals(kind)).toList();
    for (Row row : chosen) {
      rows.remove(row.label().id());
      history.add(
          new ModelAttempt(row.label(), row.attempt() + 1, row.priority(), segment, "cancelled"));
      free(row.label(), null);
    }
    return chosen.size();
  }

  /** Requests running tasks of these batches to end. */
  long ask(Stream<Held> batches, String kind) {
    long[] asked = {0};
    batches
        .filter(Held::isOpen)
        .forEach(
            held ->
                held.tasks.values().stream()
                    .filter(past -> past.label().kind().equals(kind))
                    .forEach(past -> asked[0] += held.asked.add(past.label().id()) ? 1 : 0));
    return asked[0];
  }

  long redrive(String kind) {
    List<ModelAttempt> dead =
        history.stream()
            .filter(past -> past.state().equals("dead") && past.label().kind().equals(kind))
            .toList();
    for (ModelAttempt past : dead) {
      replace(past, "failed");
      rows.put(past.label().id(), past.back(0));
    }
    return dead.size();
  }

  /** Makes claims write to this segment from now on. */
  void writeTo(int seq) {
    segment = seq;
  }

  int segment() {
    return segment;
  }

  /** Whether a task of a segment runs. */
  boolean isInUse(int seq) {
    return history.stream()
        .anyMatch(past -> past.segment() == seq && past.state().equals("running"));
  }

  void drop(int seq) {
    history.removeIf(past -> past.segment() == seq);
  }
}
