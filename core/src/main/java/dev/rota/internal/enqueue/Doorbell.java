package dev.rota.internal.enqueue;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.sql.Sql;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
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

  /** What the trigger of the rules sends; older versions ignore it. */
  private static final String RULES = "rules";

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

  /** Hears the doorbells of other processes. */
  public interface Listener {

    /** A tenant may have new tasks. */
    void changed(int tenant);

    /** Any tenant may have new tasks. */
    void changedAll();

    /** The rules changed. */
    void changedRules();
  }

  /**
   * Reads a message of another process, which names some tenants or all, tells of changed rules, or
   * announces a listener.
   *
   * @return the answer that is due
   */
  public Optional<String> decode(String message, Listener listener) {
    if (message.equals(RULES)) {
      listener.changedRules();
      return Optional.empty();
    }
    String[] parts = message.split(":", 2);
    if (parts.length < 2) {
      return others.hear(message, listener::changedAll);
    }
    // The workers of this process were already notified.
    if (parts[0].equals(others.self())) {
      return Optional.empty();
    }
    if (parts[1].equals(ALL)) {
      listener.changedAll();
    } else {
      Arrays.stream(tenants(parts[1])).forEach(listener::changed);
    }
    return Optional.empty();
  }

  /** The tenants that a message names; none if it is not Rota's: any role may send to a channel. */
  private static int[] tenants(String numbers) {
    try {
      return Arrays.stream(numbers.split(","))
          .mapToInt(Integer::parseInt)
          .filter(tenant -> tenant > 0)
          .toArray();
    } catch (NumberFormatException e) {
      log.debug("a message that is no doorbell is ignored", e);
      return new int[0];
    }
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

  /**
   * Knows whether workers of other processes listen for doorbells. A process whose own workers
   * listen hears the others, which announce themselves. While it hears none, it saves each NOTIFY.
   *
   * <p>A message is the name of its sender, or the sender and whom it answers. The answer to a
   * first message tells a new listener that doorbells reach it from now on. Older versions ignore
   * both. Thread-safe.
   */
  public static final class RemoteListeners {

    /** The time between two messages of a listener. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A process that is silent for so long has no listener any more. */
    private static final long SILENCE_NANOS = 3 * PAUSE_NANOS;

    private static final Pattern MESSAGE = Pattern.compile("([0-9a-f-]{36})(?:/([0-9a-f-]{36}))?");

    private final String self = UUID.randomUUID().toString();
    private final LongSupplier nanoTime;
    private final Map<String, Long> heardAt = new HashMap<>();
    // Each ring reads these without a lock. The last write of a change is the one that makes it
    // certain that no other process listens.
    private volatile boolean listens;
    private volatile long certainFrom;
    private volatile long announcedAt;
    private volatile long lastHeardAt;

    RemoteListeners(LongSupplier nanoTime) {
      this.nanoTime = nanoTime;
      this.lastHeardAt = nanoTime.getAsLong() - SILENCE_NANOS - 1;
    }

    /** The name of this process in messages. */
    String self() {
      return self;
    }

    /** Records that this process listens. */
    public synchronized void begin() {
      long now = nanoTime.getAsLong();
      certainFrom = now + SILENCE_NANOS;
      announcedAt = now;
      listens = true;
    }

    /** Records that this process no longer listens. */
    public synchronized void end() {
      listens = false;
    }

    /** The message with which a listener announces itself; none if one was sent lately. */
    public synchronized Optional<String> announcement() {
      return nanoTime.getAsLong() - announcedAt < PAUSE_NANOS
          ? Optional.empty()
          : Optional.of(announceNow());
    }

    /** The message with which a listener announces itself. */
    public synchronized String announceNow() {
      long now = nanoTime.getAsLong();
      if (isLate(now)) {
        // A process that was frozen heard no others meanwhile.
        certainFrom = now + SILENCE_NANOS;
      }
      announcedAt = now;
      return self;
    }

    private boolean isLate(long now) {
      return now - announcedAt > 2 * PAUSE_NANOS;
    }

    /** Whether a worker of another process may listen. */
    boolean mayListen() {
      long now = nanoTime.getAsLong();
      return !listens || now - certainFrom < 0 || isLate(now) || now - lastHeardAt <= SILENCE_NANOS;
    }

    /**
     * Reads a message.
     *
     * @param missed called if doorbells may have been missed
     * @return the answer that is due
     */
    synchronized Optional<String> hear(String message, Runnable missed) {
      var parts = MESSAGE.matcher(message);
      if (!parts.matches() || parts.group(1).equals(self)) {
        return Optional.empty();
      }
      boolean known = noteSender(parts.group(1));
      if (self.equals(parts.group(2))) {
        missed.run();
      }
      return known || parts.group(2) != null
          ? Optional.empty()
          : Optional.of(self + "/" + parts.group(1));
    }

    /** Notes the sender of a message; returns whether it was heard lately before. */
    private boolean noteSender(String process) {
      long now = nanoTime.getAsLong();
      heardAt.values().removeIf(at -> now - at > SILENCE_NANOS);
      lastHeardAt = now;
      return heardAt.put(process, now) != null;
    }
  }
}
