package dev.rota.crash.campaign.audit;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The accounts of every mark, in a few bytes each, since a long campaign has ten million of them.
 * The upper half of a mark is the number of its producer process, the lower half counts. Not
 * thread-safe.
 */
public final class CampaignAccounts {

  static final int INVOKED = 1;
  static final int ACKNOWLEDGED = 2;
  static final int FAILED = 4;
  static final int UNKNOWN = 8;
  static final int IN_CALLERS_TRANSACTION = 16;
  static final int ORDERED = 32;
  static final int RUNNING = 64;
  static final int SUCCEEDED = 128;
  static final int SUSPECT = 256;
  static final int ENDED = 512;

  /** Visits each mark. */
  @FunctionalInterface
  interface Visitor {
    void visit(long mark, int flags);
  }

  private static final class Page {
    private short[] flags = new short[256];
    private long[] tasks = new long[256];
    private int[] attempts = new int[256];
    private byte[] failures = new byte[256];

    void reach(int number) {
      if (number >= flags.length) {
        int size = Math.max(number + 1, flags.length * 2);
        flags = Arrays.copyOf(flags, size);
        tasks = Arrays.copyOf(tasks, size);
        attempts = Arrays.copyOf(attempts, size);
        failures = Arrays.copyOf(failures, size);
      }
    }
  }

  private final Map<Integer, Page> pages = new TreeMap<>();

  /** The mark of a producer process's task. */
  public static long mark(int producer, int number) {
    return ((long) producer << 32) | number;
  }

  int flags(long mark) {
    return page(mark).flags[(int) mark];
  }

  boolean has(long mark, int flag) {
    return (flags(mark) & flag) != 0;
  }

  void set(long mark, int flag) {
    page(mark).flags[(int) mark] |= (short) flag;
  }

  void clear(long mark, int flag) {
    page(mark).flags[(int) mark] &= (short) ~flag;
  }

  /**
   * Records the id of a mark's task.
   *
   * @return the id that was recorded before, or the same
   */
  long bookTask(long mark, long task) {
    Page page = page(mark);
    int number = (int) mark;
    if (page.tasks[number] == 0) {
      page.tasks[number] = task;
    }
    return page.tasks[number];
  }

  /** The attempt of the last success, 0 if there was none. */
  int attempt(long mark) {
    return page(mark).attempts[(int) mark];
  }

  void bookAttempt(long mark, int attempt) {
    page(mark).attempts[(int) mark] = attempt;
  }

  /** Counts a failure, and returns the number of failures. */
  int bookFailure(long mark) {
    return ++page(mark).failures[(int) mark];
  }

  void forEach(Visitor visitor) {
    pages.forEach(
        (producer, page) -> {
          for (int number = 0; number < page.flags.length; number++) {
            if (page.flags[number] != 0) {
              visitor.visit(mark(producer, number), page.flags[number]);
            }
          }
        });
  }

  private Page page(long mark) {
    Page page = pages.computeIfAbsent((int) (mark >>> 32), unused -> new Page());
    page.reach((int) mark);
    return page;
  }
}
