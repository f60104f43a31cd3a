package dev.rota.crash;

import dev.rota.internal.db.Session.StatementObserver;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the steps of a thread of this process, and ends the process at one of them. Thread-safe.
 */
public final class Steps implements StatementObserver {

  /** The last step of a process that must not end. */
  public static final String NONE = "none";

  private static final String BEFORE = "before ";
  private static final String AFTER = "after ";
  private static final String SEPARATOR = "; ";

  /** The suffix of steps that occur by chance, when a lock is not available. */
  private static final String BY_CHANCE = " rollback";

  private final String last;
  private final Predicate<Thread> counted;
  private final PrintStream answers;
  private final Map<String, Integer> names = new LinkedHashMap<>();
  private int count;
  private @Nullable String result;

  /**
   * Creates a counter that ends the process at one step, after printing its name.
   *
   * @param last its number, counted from 1, or the name of the first such step, or {@link #NONE}
   * @param counted the threads whose steps count
   * @param answers receives the name
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

  /** Reaches a step: continues, or never returns. */
  public synchronized void reach(String step) {
    if (isLast(step)) {
      halt(step);
    }
  }

  /** Counts the next step, which has this name, and returns whether it is the last. */
  public synchronized boolean isLast(String step) {
    if (result != null || !counted.test(Thread.currentThread())) {
      return false;
    }
    count++;
    names.putIfAbsent(step, count);
    return step.equals(last) || Integer.toString(count).equals(last);
  }

  /**
   * Ends the process as kill -9 does, at this very place: nothing is closed, nothing is written.
   */
  public void halt(String step) {
    answers.println(step);
    answers.flush();
    Runtime.getRuntime().halt(9);
  }

  /**
   * Ends the counting: the work is done, and what the process still closes is no step of it.
   *
   * @param result what the work came to, in one line
   */
  public synchronized void complete(String result) {
    this.result = result;
  }

  /** The result of the completed work. */
  synchronized String result() {
    return Objects.requireNonNull(result, "The operation has not completed its work.");
  }

  /** The number of steps. */
  public synchronized int count() {
    return count;
  }

  /** The names of all steps, in the order of their first occurrence, in one line. */
  public synchronized String names() {
    return String.join(SEPARATOR, certain().toList());
  }

  /**
   * The names of steps for processes that do nothing outside between two steps. The end after one
   * step then equals the end before the next, which stands for both where both came first.
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

  /** Parses the names in such a line. */
  public static List<String> parse(String names) {
    return List.of(names.split(SEPARATOR));
  }
}
