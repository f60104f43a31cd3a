package dev.rota.insight.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Tells how long the first task of a ring table has been pending, from the counters of the table at
 * earlier looks. Used by one thread at a time.
 *
 * <p>Workers take the tasks of a table in the order of their arrival. So the first pending task
 * arrived before the look that saw as many inserted rows as were taken since. An age is a lower
 * bound: it begins with the first look at a backlog, and is exact to an eighth, or to the time
 * between two looks. Rows of a transaction that rolled back count as arrived and taken, once.
 */
final class PendingAges {

  private final Map<Long, Marks> marks = new HashMap<>();

  /**
   * Returns how long the first task of a table has been pending, in nanoseconds, and remembers its
   * counters.
   */
  long age(long table, long inserted, long live, long nanos) {
    Marks ofTable = marks.computeIfAbsent(table, number -> new Marks());
    return nanos - ofTable.look(inserted, live, nanos);
  }

  /** Forgets all tables but these, which have pending tasks. */
  void keepOnly(Set<Long> tables) {
    marks.keySet().retainAll(tables);
  }

  /** What earlier looks at one table saw, the oldest that still matters first. */
  private static final class Marks {

    private static final int MOST = 16;

    private final long[] inserted = new long[MOST];
    private final long[] nanos = new long[MOST];
    private int count;

    /** Returns the time of the first look that saw the first pending task. */
    long look(long insertedNow, long live, long now) {
      if (count > 0 && insertedNow < inserted[count - 1]) {
        count = 0; // The server began its counters anew.
      }
      forgetTaken(insertedNow - live);
      if (count == 0 || inserted[count - 1] < insertedNow) {
        add(insertedNow, now);
      }
      return nanos[0];
    }

    private void forgetTaken(long taken) {
      while (count > 0 && inserted[0] <= taken) {
        remove(0);
      }
    }

    private void add(long insertedNow, long now) {
      if (count == MOST) {
        remove(leastUseful());
      }
      inserted[count] = insertedNow;
      nanos[count] = now;
      count++;
    }

    /** The mark whose neighbours are nearest to each other: the marks spread over the backlog. */
    private int leastUseful() {
      int least = 1;
      for (int i = 2; i < count - 1; i++) {
        if (nanos[i + 1] - nanos[i - 1] < nanos[least + 1] - nanos[least - 1]) {
          least = i;
        }
      }
      return least;
    }

    private void remove(int index) {
      count--;
      System.arraycopy(inserted, index + 1, inserted, index, count - index);
      System.arraycopy(nanos, index + 1, nanos, index, count - index);
    }
  }
}
