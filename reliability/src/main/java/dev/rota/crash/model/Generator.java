package dev.rota.crash.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Generates random sequences of commands. */
final class Generator {

  private static final int[] PRIORITIES = {0, 0, 0, 5, -5};
  private static final String[] KINDS = {"a", "b"};
  private static final ModelOutcome[] OUTCOMES = ModelOutcome.values();

  private final Random random;

  Generator(Random random) {
    this.random = random;
  }

  List<Command> sequence(int length) {
    return Stream.generate(this::command).limit(length).toList();
  }

  private Command command() {
    int die = random.nextInt(100);
    if (die < 30) {
      return enqueue();
    }
    if (die < 52) {
      return new Command.Claim(1 + random.nextInt(8));
    }
    if (die < 74) {
      return endOfBatch();
    }
    return die < 88 ? daemons() : operators();
  }

  private Command enqueue() {
    return switch (random.nextInt(6)) {
      case 0 -> new Command.EnqueueKeyed(random.nextInt(2), priority());
      case 1, 2 -> new Command.EnqueueVersion(random.nextInt(2), 1 + random.nextInt(9), priority());
      default ->
          new Command.Enqueue(kind(), 1 + random.nextInt(6), priority(), random.nextInt(5) == 0);
    };
  }

  private Command endOfBatch() {
    int batch = random.nextInt(4);
    return switch (random.nextInt(10)) {
      case 0 -> new Command.HandBack(batch);
      case 1, 2 -> new Command.Expire(batch);
      default -> new Command.Settle(batch, outcomes());
    };
  }

  private List<ModelOutcome> outcomes() {
    List<ModelOutcome> outcomes = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      outcomes.add(OUTCOMES[random.nextInt(OUTCOMES.length)]);
    }
    return List.copyOf(outcomes);
  }

  private Command daemons() {
    return switch (random.nextInt(7)) {
      case 0 -> new Command.Hurry();
      case 1, 2 -> new Command.Promote();
      case 3, 4 -> new Command.Rotate();
      case 5 -> new Command.OpenSegment();
      default -> new Command.DropSegments();
    };
  }

  private Command operators() {
    return switch (random.nextInt(5)) {
      case 0 -> new Command.Cancel(anyKind());
      case 1 -> new Command.CancelRunning(kind());
      case 2 -> new Command.Redrive(kind());
      case 3 -> new Command.ReturnRunning();
      default -> new Command.ChangePriority(kind(), priority());
    };
  }

  private String kind() {
    return KINDS[random.nextInt(KINDS.length)];
  }

  private String anyKind() {
    return random.nextInt(3) > 0
        ? kind()
        : random.nextBoolean() ? Command.KEYED : Command.VERSIONED;
  }

  private int priority() {
    return PRIORITIES[random.nextInt(PRIORITIES.length)];
  }
}
