package dev.rota.internal.db;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates daemon threads with a name and a number. */
public final class NamedThreads implements ThreadFactory {

  private final String name;
  private final AtomicInteger count = new AtomicInteger();

  /** Creates a factory with the name of all its threads. */
  public NamedThreads(String name) {
    this.name = name;
  }

  @Override
  public Thread newThread(Runnable work) {
    Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }
}
