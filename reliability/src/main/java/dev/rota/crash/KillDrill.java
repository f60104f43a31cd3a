package dev.rota.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.processes.JavaProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Runs an operation again and again in processes that are killed at their steps, and lets the
 * operation check what each of them leaves. Used by one thread.
 */
public final class KillDrill {

  private final Operation operation;
  private final Map<String, Integer> kills = new TreeMap<>();

  public KillDrill(Operation operation) {
    this.operation = operation;
  }

  /**
   * An operation that processes run, such as an export; their main class is a {@link
   * SteppedProcess}.
   */
  public interface Operation {

    /** Starts a process, for what the last one did not complete or for something new. */
    JavaProcess start(String step) throws Exception;

    /** Brings a process to its end that nothing kills and that does not end by itself. */
    default void bringToEnd(JavaProcess process) throws Exception {}

    /**
     * Checks what a killed process left, and completes it where no other process is to do so.
     *
     * @param when the end of the process, for messages
     */
    void afterKill(String when) throws Exception;

    /** Checks the work of a process that came to its end. */
    void afterEnd(String result) throws Exception;
  }

  /**
   * The steps of a process that came to its end.
   *
   * @param count how many
   * @param names the names of all
   * @param moments the names without those that are one moment for a process that does nothing
   *     outside between them
   */
  public record Course(int count, List<String> names, List<String> moments) {

    private static Course read(JavaProcess process) throws InterruptedException {
      return new Course(
          Integer.parseInt(process.nextLine()),
          Steps.parse(process.nextLine()),
          Steps.parse(process.nextLine()));
    }

    /** Chooses a step: each moment, then any step by its number. */
    public String step(int kill, Random random) {
      return kill < moments.size()
          ? moments.get(kill)
          : Integer.toString(1 + random.nextInt(count));
    }
  }

  /** Runs a process to its end, and lists the steps it went through. */
  public Course course() throws Exception {
    try (JavaProcess process = operation.start(Steps.NONE)) {
      operation.bringToEnd(process);
      assertThat(process.nextLine()).isEqualTo(SteppedProcess.DONE);
      return end(process);
    }
  }

  /** Runs a process to its end, which completes what killed ones left. */
  public void finish() throws Exception {
    course();
  }

  private Course end(JavaProcess process) throws Exception {
    Course course = Course.read(process);
    operation.afterEnd(process.nextLine());
    return course;
  }

  /** Runs a process up to a step, by number or name. It may come to its end without that step. */
  public void killAt(String step) throws Exception {
    try (JavaProcess process = operation.start(step)) {
      String reached = process.nextLine();
      if (reached.equals(SteppedProcess.DONE)) {
        end(process);
      } else {
        kills.merge(reached, 1, Integer::sum);
        operation.afterKill("killed at step " + step + ", " + reached);
      }
    }
  }

  /**
   * Kills a process at each of these steps. A process that completes what another one began may be
   * past its step; the next one begins anew.
   */
  public void killAtEach(List<String> steps) throws Exception {
    List<String> left = new ArrayList<>(steps);
    while (!left.isEmpty()) {
      String step = left.get(0);
      for (int tries = 0; tries < 2 && !kills.containsKey(step); tries++) {
        killAt(step);
      }
      left.removeAll(kills.keySet());
      assertThat(left).as("steps that no process comes to").doesNotContain(step);
    }
  }

  /** Kills processes at random steps until there are so many kills. */
  public void killAtRandom(int total, int mostSteps, Random random) throws Exception {
    while (killed() < total) {
      killAt(Integer.toString(1 + random.nextInt(mostSteps)));
    }
  }

  /** The number of killed processes by step. */
  public Map<String, Integer> kills() {
    return kills;
  }

  public int killed() {
    return kills.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The figures of a run of the suite. */
  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("kills", killed());
    figures.put("distinctSteps", kills.size());
    figures.put("steps", kills);
    return figures;
  }
}
