package dev.rota.crash.extremes;

import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.accounts.LogLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The runs of {@link LoggingWorker}s, and the reasons of repeated ones. Not thread-safe. */
final class Runs {

  private record Run(String process, int attempt, long begun) {}

  private final Map<Long, List<Run>> byTask = new HashMap<>();
  private final Disturbances disturbances;

  /** Creates an empty list. Pauses in the logs are added to the disturbances. */
  Runs(Disturbances disturbances) {
    this.disturbances = disturbances;
  }

  /** Reads the log of a process. */
  void read(String process, Path log) throws IOException {
    long[] awake = new long[1];
    LogLines.read(
        log,
        words -> {
          long time = Long.parseLong(words[0]);
          if (words.length > 1) {
            Run run = new Run(process, Integer.parseInt(words[2]), time);
            byTask.computeIfAbsent(Long.valueOf(words[1]), unused -> new ArrayList<>(1)).add(run);
          } else {
            pulse(process, awake[0], time);
            awake[0] = time;
          }
        });
  }

  private void pulse(String process, long before, long now) {
    if (before != 0) {
      disturbances.pause(process, before, now);
    }
  }

  /** Whether a task ran at all. */
  boolean has(long task) {
    return byTask.containsKey(task);
  }

  /** The number of tasks that ran more than once. */
  long repeated() {
    return byTask.values().stream().filter(runs -> runs.size() > 1).count();
  }

  /** Describes runs that were repeated although nothing had ended their lease. */
  List<String> unexplained(Attempts attempts) {
    return byTask.entrySet().stream()
        .flatMap(each -> unexplained(each.getKey(), each.getValue(), attempts))
        .toList();
  }

  private Stream<String> unexplained(long task, List<Run> runs, Attempts attempts) {
    runs.sort(Comparator.comparingInt(Run::attempt).thenComparingLong(Run::begun));
    return IntStream.range(1, runs.size())
        .filter(i -> !mayRunAgain(task, runs.get(i - 1), runs.get(i), attempts))
        .mapToObj(
            i ->
                "task %d: %s and again %s; in history %s"
                    .formatted(task, runs.get(i - 1), runs.get(i), attempts.of(task)));
  }

  private boolean mayRunAgain(long task, Run run, Run next, Attempts attempts) {
    return next.attempt() > run.attempt()
        && attempts
            .lostAt(task, run.attempt())
            .flatMap(lostAt -> disturbances.endedLease(run.process(), run.begun(), lostAt))
            .isPresent();
  }
}
