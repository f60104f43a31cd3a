package dev.rota;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Runs blocking work on a separate thread. The common pool is unsuitable: on a machine of two cores
 * it has one thread, where a second call would wait for the first for ever.
 */
final class InBackground {

  private InBackground() {}

  static <T> CompletableFuture<T> supply(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, InBackground::start);
  }

  static CompletableFuture<Void> run(Runnable work) {
    return CompletableFuture.runAsync(work, InBackground::start);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "in-background");
    thread.setDaemon(true);
    thread.start();
  }
}
