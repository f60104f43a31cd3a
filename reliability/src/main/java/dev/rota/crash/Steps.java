package dev.rota.crash;

import dev.rota.internal.db.StatementObserver;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Counts what a thread of this process does, and ends the process at one of its steps. Thread-safe.
 */
public final class Steps implements StatementObserver {

  /** The last step of a process that is not to end. */
  public static final String NONE = "none";

  private static final String BEFORE = "before ";
  private static final String AFTER = "after ";
  private static final String SEPARATOR = "; ";

  /** Comes by chance, when a lock is not to be had. */
  private static final String BY_CHANCE = " rollback";

  private final String last;
  private final Predicate<Thread> counted;
  private final PrintStream answers;
  private final Map<String, Integer> names = new LinkedHashMap<>();
  private int count;
  private boolean disarmed;

  /**
   * Ends the process at that step, having told its name there.
   *
   * @param last its number, counted from 1, or the name of the first one that is meant, or {@link
   *     #NONE}
   * @param counted whose steps count
   * @param answers where to tell
   */
  public Steps(String last, Predicate<Thread> counted, PrintStream answers) {
    this.last = last;
    this.counted = counted;
    this.answers = answers;
  }

  @Override
  public void before(String call) {
    reach(BEFORE + call);
  }

  @Override
  public void after(String call) {
    reach(AFTER + call);
  }

  /** Goes on, or never returns. */
  public synchronized void reach(String step) {
    if (isLast(step)) {
      halt(step);
    }
  }

  /** Whether a step of that name, which comes next, is the last; counts it. */
  public synchronized boolean isLast(String step) {
    if (disarmed || !counted.test(Thread.currentThread())) {
      return false;
    }
    count++;
    names.putIfAbsent(step, count);
    return step.equals(last) || Integer.toString(count).equals(last);
  }

  /** As kill -9 does, at this very place: nothing is closed, nothing is written. */
  public void halt(String step) {
    answers.println(step);
    answers.flush();
    Runtime.getRuntime().halt(9);
  }

  /** Nothing counts any more. */
  public synchronized void disarm() {
    disarmed = true;
  }

  /** How many there were. */
  public synchronized int count() {
    return count;
  }

  /** The names of all there were, in the order in which they first came, in one line. */
  public synchronized String names() {
    return String.join(SEPARATOR, certain().toList());
  }

  /**
   * The same for processes that do nothing outside between two steps: to end after one is then to
   * end before the next, which stands for both where both came first.
   */
  public synchronized String moments() {
    Map<Integer, String> first = new HashMap<>();
    names.forEach((name, number) -> first.put(number, name));
    return String.join(
        SEPARATOR,
        certain()
            .filter(
                name ->
                    !name.startsWith(AFTER)
                        || !first
                            .getOrDefault(names.getOrDefault(name, 0) + 1, "")
                            .startsWith(BEFORE))
            .toList());
  }

  private Stream<String> certain() {
    return names.keySet().stream().filter(name -> !name.endsWith(BY_CHANCE));
  }

  /** The names in such a line. */
  public static List<String> parse(String names) {
    return List.of(names.split(SEPARATOR));
  }
}
