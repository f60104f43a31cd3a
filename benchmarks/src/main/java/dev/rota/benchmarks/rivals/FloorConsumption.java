package dev.rota.benchmarks.rivals;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The floor's consumers, which visit their tenants in turns, with or without tasks, until they are
 * stopped.
 */
final class FloorConsumption implements Consumption {

  private static final long REST_NANOS = 500_000;

  private final AtomicLong done = new AtomicLong();
  private final CompletableFuture<Void> ended;
  private volatile boolean stopping;

  FloorConsumption(Crew crew, List<FloorConsumer> consumers) {
    this.ended =
        CompletableFuture.runAsync(
            () -> {
              try {
                crew.run(member -> goRound(consumers.get(member)));
              } catch (Exception e) {
                throw new CompletionException(e);
              }
            },
            work -> new Thread(work, "floor-consumption").start());
  }

  private void goRound(FloorConsumer consumer) throws SQLException {
    while (!stopping) {
      long claimed = 0;
      for (int i = 0; i < consumer.groups(); i++) {
        claimed += consumer.visitNext();
      }
      done.addAndGet(consumer.takeSettled());
      if (claimed == 0) {
        consumer.settle();
        done.addAndGet(consumer.takeSettled());
        LockSupport.parkNanos(REST_NANOS);
      }
    }
  }

  /** The number of done tasks; fails if the consumers have failed. */
  @Override
  public long done() {
    if (ended.isCompletedExceptionally()) {
      throw new IllegalStateException("a consumer of the floor failed", failure());
    }
    return done.get();
  }

  private Throwable failure() {
    return ended.handle((nothing, failure) -> failure).join();
  }

  @Override
  public void close() {
    stopping = true;
    ended.join();
  }
}
