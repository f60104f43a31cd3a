package dev.rota.crash.model;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One thing that is done to a tenant, with arguments that make sense in any state. */
sealed interface Command {

  /** The kind of tasks with keys that last until they end. */
  String KEYED = "keyed";

  /** The kind of tasks with versions. */
  String VERSIONED = "versioned";

  /** Does it to both sides. */
  void run(ModelEnvironment world) throws Exception;

  /** Simpler ones that may do for the same end. */
  default List<Command> simpler() {
    return List.of();
  }

  /** How to write it in a test. */
  default String script() {
    return Arrays.stream(getClass().getRecordComponents())
        .map(component -> literal(valueOf(component)))
        .collect(Collectors.joining(", ", "new " + getClass().getSimpleName() + "(", ")"));
  }

  private Object valueOf(RecordComponent component) {
    try {
      return component.getAccessor().invoke(this);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String literal(Object value) {
    if (value instanceof List<?> list) {
      return list.stream()
          .map(each -> "Outcome." + each)
          .collect(Collectors.joining(", ", "List.of(", ")"));
    }
    return value instanceof String ? "\"" + value + "\"" : value.toString();
  }

  /** How to write several of them in a test. */
  static String script(List<Command> commands) {
    return commands.stream()
        .map(Command::script)
        .collect(Collectors.joining(",\n    ", "List.of(\n    ", ")"));
  }

  private static List<Integer> smaller(int number, int least) {
    return number <= least
        ? List.of()
        : Stream.of(least, number / 2, number - 1).filter(n -> n >= least).distinct().toList();
  }

  /** Adds some tasks. */
  record Enqueue(String kind, int count, int priority, boolean delayed) implements Command {
    @Override
    public void run(ModelEnvironment world) {
      world.enqueue(kind, count, priority, delayed);
    }

    @Override
    public List<Command> simpler() {
      List<Command> simpler = new ArrayList<>();
      smaller(count, 1).forEach(n -> simpler.add(new Enqueue(kind, n, priority, delayed)));
      if (priority != 0) {
        simpler.add(new Enqueue(kind, count, 0, delayed));
      }
      if (delayed) {
        simpler.add(new Enqueue(kind, count, priority, false));
      }
      if (!kind.equals("a")) {
        simpler.add(new Enqueue("a", count, priority, delayed));
      }
      return simpler;
    }
  }

  /** Adds a task if none has the key. */
  record EnqueueKeyed(int key, int priority) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.enqueueKeyed("k" + key, priority);
    }
  }

  /** Adds a task, or runs it again because it changed. */
  record EnqueueVersion(int key, int version, int priority) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.enqueueVersion("v" + key, version, priority);
    }

    @Override
    public List<Command> simpler() {
      return smaller(version, 1).stream()
          .<Command>map(n -> new EnqueueVersion(key, n, priority))
          .toList();
    }
  }

  /** Claims a batch, which is then held. */
  record Claim(int max) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.claim(max);
    }

    @Override
    public List<Command> simpler() {
      return smaller(max, 1).stream().<Command>map(Claim::new).toList();
    }
  }

  /** Settles a batch that was claimed, whoever has it now; the outcomes are those of its tasks. */
  record Settle(int batch, List<ModelOutcome> outcomes) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.settle(batch, outcomes);
    }

    @Override
    public List<Command> simpler() {
      List<Command> simpler = new ArrayList<>();
      smaller(batch, 0).forEach(n -> simpler.add(new Settle(n, outcomes)));
      for (int i = 0; i < outcomes.size(); i++) {
        List<ModelOutcome> fewer = new ArrayList<>(outcomes);
        fewer.remove(i);
        simpler.add(new Settle(batch, List.copyOf(fewer)));
      }
      return simpler;
    }
  }

  /** Hands a batch back. */
  record HandBack(int batch) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.handBack(batch);
    }

    @Override
    public List<Command> simpler() {
      return smaller(batch, 0).stream().<Command>map(HandBack::new).toList();
    }
  }

  /** The holder of a batch dies, as far as anybody knows, and the daemon takes it back. */
  record Expire(int batch) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.expire(batch);
    }

    @Override
    public List<Command> simpler() {
      return smaller(batch, 0).stream().<Command>map(Expire::new).toList();
    }
  }

  /** An operator takes all that runs from its holders. */
  record ReturnRunning() implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.returnRunning();
    }
  }

  /** Time passes, until everything that waits is due. */
  record Hurry() implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.hurry();
    }
  }

  /** The daemon moves what is due into the ring. */
  record Promote() implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.promote();
    }
  }

  /** The daemon switches all rings that were used. */
  record Rotate() implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.rotate();
    }
  }

  /** The daemon opens a segment of history. */
  record OpenSegment() implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.openSegment();
    }
  }

  /** The daemon drops what is kept no longer. */
  record DropSegments() implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.dropSegments();
    }
  }

  /** Cancels what is pending or waiting. */
  record Cancel(String kind) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.cancel(kind);
    }
  }

  /** Asks what runs to end. */
  record CancelRunning(String kind) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.cancelRunning(kind);
    }
  }

  /** Runs what is dead again. */
  record Redrive(String kind) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.redrive(kind);
    }
  }

  /** Gives what is pending or waiting another priority. */
  record ChangePriority(String kind, int priority) implements Command {
    @Override
    public void run(ModelEnvironment world) throws Exception {
      world.changePriority(kind, priority);
    }
  }
}
