package dev.rota.benchmarks.pause;

import dev.rota.internal.db.Session.StatementObserver;
import java.util.concurrent.atomic.AtomicLong;

/** Counts calls to the database, and the claims among them. Thread-safe. */
final class CallCounter implements StatementObserver {

  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong claims = new AtomicLong();

  @Override
  public void before(String call) {
    calls.incrementAndGet();
    if (call.equals("claim")) {
      claims.incrementAndGet();
    }
  }

  long calls() {
    return calls.get();
  }

  long claims() {
    return claims.get();
  }
}
