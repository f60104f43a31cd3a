package dev.rota.daemon;

import dev.rota.internal.db.StatementObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts the calls of a Rota by their names. */
final class CallCounter implements StatementObserver {

  private final Map<String, Integer> counts = new ConcurrentHashMap<>();

  @Override
  public void after(String call) {
    counts.merge(call, 1, Integer::sum);
  }

  int count(String call) {
    return counts.getOrDefault(call, 0);
  }

  /** Waits until a call was answered a few times more. */
  void awaitMore(String call, int times) throws Exception {
    int before = count(call);
    DaemonFixture.await(times + " more of " + call, () -> count(call) >= before + times);
  }
}
