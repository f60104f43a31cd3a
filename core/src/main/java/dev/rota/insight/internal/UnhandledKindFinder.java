package dev.rota.insight.internal;

import dev.rota.insight.UnhandledKind;
import dev.rota.insight.WorkerActivity;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Finds the kinds for which no living process has a handler, by what processes tell. */
final class UnhandledKindFinder {

  private UnhandledKindFinder() {}

  static List<UnhandledKind> of(List<WorkerActivity> workers) {
    List<WorkerActivity> alive =
        workers.stream().filter(worker -> worker.heartbeat().alive()).toList();
    Map<String, Integer> foundBy = new TreeMap<>();
    for (WorkerActivity worker : alive) {
      worker.serves().left().stream()
          .filter(kind -> alive.stream().noneMatch(other -> runs(other, worker, kind)))
          .forEach(kind -> foundBy.merge(kind, 1, Integer::sum));
    }
    int silent = (int) alive.stream().filter(each -> each.serves().kinds().isEmpty()).count();
    return foundBy.entrySet().stream()
        .map(each -> new UnhandledKind(each.getKey(), each.getValue(), silent))
        .toList();
  }

  /** Whether a process has a handler for what another one found: both serve its pool then. */
  private static boolean runs(WorkerActivity worker, WorkerActivity finder, String kind) {
    return worker.serves().handles(kind)
        && !Collections.disjoint(worker.serves().pools(), finder.serves().pools());
  }
}
