package dev.rota.crash;

import dev.rota.processes.JavaProcess;
import java.io.PrintStream;
import java.util.function.Predicate;

/**
 * Runs an operation in a separate process, which ends at one of its steps; see {@link KillDrill}.
 */
public final class SteppedProcess {

  /** The answer of a process that has come to its end. Its course and its result follow. */
  static final String DONE = "done";

  private SteppedProcess() {}

  /** The operation. */
  @FunctionalInterface
  public interface Operation {

    /**
     * Runs the operation.
     *
     * @param steps is told each step that is not a statement, and that the work is complete
     */
    void run(Steps steps) throws Exception;
  }

  /**
   * Runs an operation; called by the main method of the process.
   *
   * @param last the step at which the process ends, by number or name, or {@link Steps#NONE}
   * @param counted the threads whose steps count
   */
  public static void run(String last, Predicate<Thread> counted, Operation operation)
      throws Exception {
    PrintStream answers = JavaProcess.answers();
    Steps steps = new Steps(last, counted, answers);
    answers.println("started");
    operation.run(steps);
    String result = steps.result();
    answers.println(DONE);
    answers.println(steps.count());
    answers.println(steps.names());
    answers.println(steps.moments());
    answers.println(result);
  }
}
