package dev.rota.crash.model;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One operation on a tenant, with arguments that make sense in any state. */
sealed interface Command {

  /** The kind of tasks with keys that last until they end. */
  String KEYED = "keyed";

  /** The kind of tasks with versions. */
  String VERSIONED = "versioned";

  /** Runs the operation on both sides. */
  void run(ModelEnvironment environment) throws Exception;

  /** Returns simpler commands that may show the same difference. */
  default List<Command> simpler() {
    return List.of();
  }

  /** Formats the command as the code of a test. */
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

  /** Formats several commands as the code of a test. */
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
    public void run(ModelEnvironment environment) {
      environment.enqueue(kind, count, priority, delayed);
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
    public void run(ModelEnvironment environment) throws Exception {
      environment.enqueueKeyed("k" + key, priority);
    }
  }

  /** Adds a task, or runs it again because its version is newer. */
  record EnqueueVersion(int key, int version, int priority) implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.enqueueVersion("v" + key, version, priority);
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
    public void run(ModelEnvironment environment) throws Exception {
      environment.claim(max);
    }

    @Override
    public List<Command> simpler() {
      return smaller(max, 1).stream().<Command>map(Claim::new).toList();
    }
  }

  /**
   * Settles a batch that was claimed, whatever its present holder; the outcomes are those of its
   * tasks.
   */
  record Settle(int batch, List<ModelOutcome> outcomes) implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.settle(batch, outcomes);
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
    public void run(ModelEnvironment environment) throws Exception {
      environment.handBack(batch);
    }

    @Override
    public List<Command> simpler() {
      return smaller(batch, 0).stream().<Command>map(HandBack::new).toList();
    }
  }

  /** Ends the lease of a batch, as if its holder had died; the daemon returns its tasks. */
  record Expire(int batch) implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.expire(batch);
    }

    @Override
    public List<Command> simpler() {
      return smaller(batch, 0).stream().<Command>map(Expire::new).toList();
    }
  }

  /** Returns all running tasks from their holders, as an operator does. */
  record ReturnRunning() implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.returnRunning();
    }
  }

  /** Lets time pass, until all waiting tasks are due. */
  record Hurry() implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.hurry();
    }
  }

  /** Moves due tasks into the ring, as the daemon does. */
  record Promote() implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.promote();
    }
  }

  /** Switches all used rings, as the daemon does. */
  record Rotate() implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.rotate();
    }
  }

  /** Opens a segment of history, as the daemon does. */
  record OpenSegment() implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.openSegment();
    }
  }

  /** Drops expired segments, as the daemon does. */
  record DropSegments() implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.dropSegments();
    }
  }

  /** Cancels pending and waiting tasks. */
  record Cancel(String kind) implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.cancel(kind);
    }
  }

  /** Requests running tasks to end. */
  record CancelRunning(String kind) implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.cancelRunning(kind);
    }
  }

  /** Redrives dead tasks. */
  record Redrive(String kind) implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.redrive(kind);
    }
  }

  /** Changes the priority of pending and waiting tasks. */
  record ChangePriority(String kind, int priority) implements Command {
    @Override
    public void run(ModelEnvironment environment) throws Exception {
      environment.changePriority(kind, priority);
    }
  }
}
