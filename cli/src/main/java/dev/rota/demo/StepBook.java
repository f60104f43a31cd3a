package dev.rota.demo;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Which steps of which copies of a workflow have run, kept in memory and apart from everything the
 * library knows. Thread-safe.
 */
final class StepBook {

  private final Workflow workflow;
  private final AtomicIntegerArray ends;
  private final LongAdder ended = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder violated = new LongAdder();

  StepBook(Workflow workflow, int copies) {
    this.workflow = workflow;
    this.ends = new AtomicIntegerArray(Math.multiplyExact(copies, workflow.steps().size()));
  }

  /** A step begins: all its parents must have ended. */
  void begin(int copy, int step) {
    List<Integer> parents = workflow.steps().get(step).parents();
    violated.add(parents.stream().filter(parent -> ends.get(place(copy, parent)) == 0).count());
  }

  /** A step ends. */
  void end(int copy, int step) {
    if (ends.getAndIncrement(place(copy, step)) == 0) {
      ended.increment();
    } else {
      repeated.increment();
    }
  }

  /** Steps that have ended, each counted once. */
  long ended() {
    return ended.sum();
  }

  /** Ends of steps that had ended before. */
  long repeated() {
    return repeated.sum();
  }

  /** Dependencies whose child began before the parent had ended. */
  long violated() {
    return violated.sum();
  }

  private int place(int copy, int step) {
    return copy * workflow.steps().size() + step;
  }
}
