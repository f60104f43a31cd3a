package dev.rota.crash.interleaving;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The invariants, checked after each step. A committed task is in exactly one place, and no two
 * open batches hold it. A claim returns the tasks that its batch holds, a batch ends once, and
 * attempts are counted. Actors report their knowledge. Used while one actor moves.
 */
final class Invariants {

  private final boolean retires;
  private final boolean runsAgain;
  private final Map<Long, String> enqueued = new HashMap<>();
  private final Set<Long> existing = new HashSet<>();
  private final Map<Long, Set<Long>> claimed = new HashMap<>();
  private final Map<Long, Set<Long>> failed = new HashMap<>();
  private final Map<Long, Boolean> settled = new HashMap<>();
  private final Set<Long> ended = new HashSet<>();
  private final Map<Long, Integer> ends = new HashMap<>();

  Invariants(Scenario scenario) {
    this.retires = scenario.retires();
    this.runsAgain = scenario.runsAgain();
  }

  /** Records an acknowledged enqueue. */
  synchronized void acknowledged(long id, String payload) {
    String before = enqueued.put(id, payload);
    if (before != null && !before.equals(payload) && !runsAgain) {
      throw new Violation("task " + id + " was enqueued twice: " + before + " and " + payload);
    }
  }

  /** Records that a task was enqueued, perhaps with another payload. */
  synchronized void exists(long id) {
    existing.add(id);
  }

  /** Records that a claim returned a task. */
  synchronized void claimed(long batch, long id, String payload) {
    if (!claimed.computeIfAbsent(batch, unused -> new HashSet<>()).add(id)) {
      throw new Violation("batch " + batch + " was handed task " + id + " twice");
    }
    String expected = enqueued.get(id);
    if (expected != null && !expected.equals(payload) && !runsAgain) {
      throw new Violation("task " + id + " is " + payload + " and was enqueued as " + expected);
    }
  }

  /** Records that a caller reported a failure, before it settled. */
  synchronized void failed(long batch, long id) {
    failed.computeIfAbsent(batch, unused -> new HashSet<>()).add(id);
  }

  /** Records whether a settle reported that the outcomes of a batch were written. */
  synchronized void settled(long batch, boolean written) {
    settled.put(batch, written);
  }

  synchronized void check(Census census) {
    checkBatches(census);
    Map<Long, List<Census.Row>> byTask = census.byTask();
    byTask.forEach(this::checkTask);
    checkKeys(census);
    Set<Long> missing = new TreeSet<>(enqueued.keySet());
    missing.addAll(existing);
    missing.removeAll(byTask.keySet());
    if (retires) {
      missing.removeAll(ended);
    }
    if (!missing.isEmpty()) {
      throw new Violation("tasks " + missing + " are lost: they are nowhere");
    }
  }

  /** Checks the end: no actor is active, every task has ended, and all reports were right. */
  synchronized void checkEnd(Census census) {
    check(census);
    List<Census.Row> left = census.rows().stream().filter(Census.Row::isLive).toList();
    if (!left.isEmpty()) {
      throw new Violation("stranded after the last claims: " + left);
    }
    settled.forEach((batch, written) -> checkAnswer(batch, written, census));
    census.rows().forEach(this::checkLost);
    failed.forEach((batch, ids) -> checkFailures(batch, ids, census));
  }

  /** Checks a lost row: a task that returned to the ring must not have been reported as settled. */
  private void checkLost(Census.Row row) {
    if (row.place().equals("lost") && settled.getOrDefault(row.batch(), false)) {
      throw new Violation("the settle of batch %d said written: %s".formatted(row.batch(), row));
    }
  }

  /** Checks that failed tasks do not count as done. */
  private void checkFailures(long batch, Set<Long> ids, Census census) {
    for (Census.Row row : census.rows()) {
      if (row.batch() == batch && ids.contains(row.id()) && row.place().equals("done")) {
        throw new Violation("task " + row.id() + " was said to have failed: " + row);
      }
    }
  }

  private static void checkAnswer(long batch, boolean written, Census census) {
    Integer end = census.ends().get(batch);
    if (end != null && written != (end == 1)) {
      throw new Violation(
          "the settle of batch %d said %s, and the ledger says that it ended as %d"
              .formatted(batch, written ? "written" : "lost", end));
    }
  }

  private void checkBatches(Census census) {
    census.ends().forEach(this::checkBatch);
    for (Map.Entry<Long, Integer> known : ends.entrySet()) {
      long batch = known.getKey();
      if (known.getValue() == 0 && !census.ends().containsKey(batch) && !wasSettled(batch)) {
        throw new Violation("batch " + batch + " was open, and the ledger forgot it");
      }
    }
    Map<Long, Set<Long>> held =
        census.rows().stream()
            .filter(row -> row.batch() != 0)
            .collect(
                Collectors.groupingBy(
                    Census.Row::batch, Collectors.mapping(Census.Row::id, Collectors.toSet())));
    for (Map.Entry<Long, Set<Long>> batch : claimed.entrySet()) {
      Set<Long> found = held.getOrDefault(batch.getKey(), Set.of());
      if (!ends.containsKey(batch.getKey())) {
        throw new Violation("batch " + batch.getKey() + " was handed out, and is in no ledger");
      }
      Integer end = census.ends().get(batch.getKey());
      if (end != null && !found.equals(batch.getValue()) && !mayBeGone(end, found)) {
        throw new Violation(
            "batch %d was handed tasks %s, and holds %s"
                .formatted(batch.getKey(), batch.getValue(), found));
      }
    }
  }

  /**
   * Whether the batch may have been settled: it may end and be dropped while a lock prevents a
   * check.
   */
  private boolean wasSettled(long batch) {
    return settled.getOrDefault(batch, false);
  }

  /** Whether the history of the batch may have been dropped after its end. */
  private boolean mayBeGone(int end, Set<Long> found) {
    return retires && end != 0 && found.isEmpty();
  }

  private void checkBatch(long batch, int end) {
    Integer before = ends.put(batch, end);
    if (before != null && before != 0 && before != end) {
      throw new Violation(
          "batch " + batch + " ended as " + before + " and then as " + end + ": it ends once");
    }
  }

  private void checkTask(long id, List<Census.Row> rows) {
    long live = rows.stream().filter(Census.Row::isLive).count();
    long finals = rows.stream().filter(Census.Row::isFinal).count();
    boolean right = runsAgain ? live <= 1 && live + finals >= 1 : live + finals == 1;
    if (!right) {
      throw new Violation(
          "task " + id + " must be in one place" + describe(live + finals) + ": " + rows);
    }
    if (finals > 0) {
      ended.add(id);
    } else if (ended.contains(id) && !runsAgain) {
      throw new Violation("task " + id + " had ended, and is to run again: " + rows);
    }
    if (!runsAgain && !retires) {
      checkAttempts(id, rows);
    }
  }

  private static void checkKeys(Census census) {
    Map<String, Set<Long>> tasks = new HashMap<>();
    for (Census.Row row : census.rows()) {
      String key = row.key();
      if (row.isLive() && key != null) {
        Set<Long> live = tasks.computeIfAbsent(key, unused -> new HashSet<>());
        live.add(row.id());
        if (live.size() > 1) {
          throw new Violation("tasks " + live + " have the key " + key + " at the same time");
        }
      }
    }
  }

  private static String describe(long places) {
    return places == 0 ? ", and is in none" : ", and is in " + places;
  }

  private static void checkAttempts(long id, Collection<Census.Row> rows) {
    long spent = rows.stream().filter(Census.Row::isSpent).count();
    for (Census.Row row : rows) {
      boolean counts = row.isLive() || row.isFinal();
      long expected = spent + (row.isPending() ? 0 : 1);
      if (counts && row.attempt() != expected) {
        throw new Violation(
            "task " + id + " is at attempt " + row.attempt() + ", not " + expected + ": " + rows);
      }
    }
    Set<Integer> attempts =
        rows.stream()
            .filter(Census.Row::isSpent)
            .map(Census.Row::attempt)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    if (attempts.size() != spent) {
      throw new Violation("attempts of task " + id + " have the same number: " + rows);
    }
  }
}
