package dev.rota.demo;

import dev.rota.Tenant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A producer that runs on a separate thread. */
final class Production implements AutoCloseable {

  private final DemoProducer producer;
  private final DemoWorkload workload;
  private final CompletableFuture<Double> seconds = new CompletableFuture<>();
  private final Thread thread = new Thread(this::produce, "demo-reader");
  private final long started = System.nanoTime();

  private Production(DemoProducer producer, DemoWorkload workload) {
    this.producer = producer;
    this.workload = workload;
  }

  static Production start(List<Tenant> tenants, DemoWorkload workload, int threads) {
    Production production = new Production(new DemoProducer(tenants, threads), workload);
    production.thread.start();
    return production;
  }

  /** The ids that the library has returned so far. */
  IdSet enqueued() {
    return producer.enqueued();
  }

  long enqueuedCount() {
    return producer.enqueuedCount();
  }

  /** Whether all tasks are enqueued. Throws the producer's exception if it failed. */
  boolean finished() {
    try {
      return seconds.getNow(-1.0) >= 0;
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** The duration in seconds; only after it has finished. */
  double seconds() {
    return seconds.getNow(0.0);
  }

  double secondsSinceStart() {
    return (System.nanoTime() - started) / 1e9;
  }

  /** Drops tasks that are not yet enqueued, and waits for those in progress. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void produce() {
    try {
      producer.run(workload);
      seconds.complete(secondsSinceStart());
    } catch (InterruptedException | RuntimeException | Error e) {
      seconds.completeExceptionally(e);
    }
  }
}
