package dev.rota.internal;

import dev.rota.internal.db.DaemonThreads;
import dev.rota.internal.db.NamedThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Registers many tenants over two connections, some in each transaction. Most of its time is the
 * server's, which creates schemas with one process a connection. Used once.
 */
final class TenantRegistration {

  /**
   * The number of tenants in one transaction. Each new tenant holds a few locks until the commit.
   */
  private static final int TOGETHER = 25;

  private final Consumer<List<String>> register;
  private final Queue<List<String>> left = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  /**
   * Creates the registration of some names.
   *
   * @param names in an order that all processes use, or two of them could wait for each other
   * @param register registers the names of one transaction
   */
  TenantRegistration(Iterable<String> names, Consumer<List<String>> register) {
    this.register = register;
    List<String> group = new ArrayList<>();
    for (String name : names) {
      group.add(name);
      if (group.size() == TOGETHER) {
        left.add(List.copyOf(group));
        group.clear();
      }
    }
    if (!group.isEmpty()) {
      left.add(group);
    }
  }

  /** Registers the names, up to the first failure, which it throws. */
  void run() {
    if (left.size() > 1) {
      Thread other = new NamedThreads("rota-registration").newThread(this::registerLeft);
      other.start();
      registerLeft();
      DaemonThreads.join(other);
    } else {
      registerLeft();
    }
    throwFailure();
  }

  private void registerLeft() {
    try {
      for (List<String> group = left.poll(); group != null; group = left.poll()) {
        register.accept(group);
      }
    } catch (RuntimeException | Error e) {
      failures.add(e);
      left.clear();
    }
  }

  private void throwFailure() {
    Throwable first = failures.poll();
    if (first != null) {
      failures.forEach(first::addSuppressed);
    }
    if (first instanceof RuntimeException refusal) {
      throw refusal;
    }
    if (first instanceof Error error) {
      throw error;
    }
  }
}
