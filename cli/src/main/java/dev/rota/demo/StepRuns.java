package dev.rota.demo;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Records which steps of which copies of a workflow have run, in memory and independent of the
 * library. Thread-safe.
 */
final class StepRuns {

  private final Workflow workflow;
  private final AtomicIntegerArray ends;
  private final LongAdder ended = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder violated = new LongAdder();

  StepRuns(Workflow workflow, int copies) {
    this.workflow = workflow;
    this.ends = new AtomicIntegerArray(Math.multiplyExact(copies, workflow.steps().size()));
  }

  /** Records that a step begins: all its parents must have ended. */
  void begin(int copy, int step) {
    List<Integer> parents = workflow.steps().get(step).parents();
    violated.add(parents.stream().filter(parent -> ends.get(place(copy, parent)) == 0).count());
  }

  /** Records that a step ends. */
  void end(int copy, int step) {
    if (ends.getAndIncrement(place(copy, step)) == 0) {
      ended.increment();
    } else {
      repeated.increment();
    }
  }

  /** The number of steps that have ended, each counted once. */
  long ended() {
    return ended.sum();
  }

  /** The number of ends of steps that had ended before. */
  long repeated() {
    return repeated.sum();
  }

  /** The number of dependencies whose child began before the parent had ended. */
  long violated() {
    return violated.sum();
  }

  private int place(int copy, int step) {
    return copy * workflow.steps().size() + step;
  }
}
