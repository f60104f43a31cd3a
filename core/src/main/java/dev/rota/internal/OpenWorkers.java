package dev.rota.internal;

import dev.rota.RotaClosedException;
import dev.rota.Worker;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The open workers of one Rota: it starts them, and closes them together. Thread-safe. */
final class OpenWorkers {

  private final Set<DefaultWorker> workers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Throws unless workers may start. */
  void ensureOpen() {
    if (closed) {
      throw new RotaClosedException("this Rota was closed and starts no worker; build another one");
    }
  }

  /**
   * Creates and starts a worker. A close waits until it has started.
   *
   * @throws RotaClosedException if no worker may start any more
   */
  synchronized Worker start(Supplier<DefaultWorker> maker) {
    ensureOpen();
    DefaultWorker worker = maker.get();
    workers.add(worker);
    worker.start();
    return worker;
  }

  /** Removes a worker that was closed. */
  void remove(DefaultWorker worker) {
    workers.remove(worker);
  }

  /** Whether a thread runs handlers of one of them. */
  boolean areRunBy(Thread thread) {
    return workers.stream().anyMatch(worker -> worker.isRunBy(thread));
  }

  private synchronized void refuse() {
    closed = true;
  }

  /** Starts no further worker, and closes the open ones: none claims while it waits for others. */
  void close() {
    refuse();
    List<DefaultWorker> open = List.copyOf(workers);
    open.forEach(DefaultWorker::stopClaiming);
    open.forEach(Worker::close);
  }
}
