package dev.rota.internal.enqueue;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.sql.Sql;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * Notifies workers that a tenant has new tasks. It calls those of this process at once, and sends
 * the others one NOTIFY for all enqueues of the last few milliseconds, if there may be others. It
 * only makes work prompt; workers find all work by the counters of the tables. Thread-safe.
 */
public final class Doorbell {

  private static final Sql NOTIFY = Sql.named("notify");

  private static final Logger log = Logs.of(Doorbell.class);
  private static final String ALL = "*";
  private static final long COALESCE_MILLIS = 10;

  /** NOTIFY takes 8,000 bytes; more tenants than fit are announced as "all". */
  private static final int MOST_NAMED = 700;

  private final Database database;
  private final String channel;
  private final ScheduledExecutorService timer;
  private final boolean remote;
  private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();
  private final BitSet rung = new BitSet();
  private final RemoteListeners others;
  private boolean scheduled;

  /**
   * Creates the doorbell of one process.
   *
   * @param remote whether processes wake each other
   * @param nanoTime the clock by which silent listeners of other processes count as ended
   */
  public Doorbell(
      Database database,
      String channel,
      ScheduledExecutorService timer,
      boolean remote,
      LongSupplier nanoTime) {
    this.database = database;
    this.channel = channel;
    this.timer = timer;
    this.remote = remote;
    this.others = new RemoteListeners(nanoTime);
  }

  /** The workers of other processes that listen. */
  public RemoteListeners others() {
    return others;
  }

  /** Announces a tenant after a commit. */
  public void ring(int tenant) {
    for (IntConsumer listener : listeners) {
      listener.accept(tenant);
    }
    if (remote && others.mayListen()) {
      remember(tenant);
    }
  }

  /** Whether processes wake each other. */
  public boolean isRemote() {
    return remote;
  }

  /** Adds a listener of this process; it must not block. */
  public void listen(IntConsumer listener) {
    listeners.add(listener);
  }

  /** Removes a listener. */
  public void unlisten(IntConsumer listener) {
    listeners.remove(listener);
  }

  /**
   * Reads a message of another process, which names some tenants or all, or announces a listener.
   *
   * @return the answer that is due
   */
  public Optional<String> decode(String message, IntConsumer tenants, Runnable all) {
    String[] parts = message.split(":", 2);
    if (parts.length < 2) {
      return others.hear(message, all);
    }
    // The workers of this process were already notified.
    if (parts[0].equals(others.self())) {
      return Optional.empty();
    }
    if (parts[1].equals(ALL)) {
      all.run();
    } else {
      Arrays.stream(parts[1].split(",")).mapToInt(Integer::parseInt).forEach(tenants);
    }
    return Optional.empty();
  }

  private void remember(int tenant) {
    synchronized (rung) {
      rung.set(tenant);
      if (!scheduled) {
        scheduled = true;
        var unused = timer.schedule(this::notifyOthers, COALESCE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private void notifyOthers() {
    String message = takeMessage();
    try {
      database.run("ring the doorbell", session -> session.prepend(notification(message)));
    } catch (RuntimeException e) {
      log.debug("the doorbell could not be rung; polling finds the work", e);
    }
  }

  /** The statement that sends a message to the listeners of all processes. */
  public BoundStatement<?> notification(String message) {
    return BoundStatement.query(NOTIFY, row -> true, channel, message);
  }

  private String takeMessage() {
    synchronized (rung) {
      scheduled = false;
      String tenants =
          rung.cardinality() > MOST_NAMED
              ? ALL
              : rung.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
      rung.clear();
      return others.self() + ":" + tenants;
    }
  }
}
