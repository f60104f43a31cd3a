package dev.rota.internal.enqueue;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Knows whether workers of other processes listen for doorbells. A process whose own workers listen
 * hears the others, which announce themselves. While it hears none, it saves each NOTIFY.
 *
 * <p>A message is the name of its sender, or the sender and whom it answers. The answer to a first
 * message tells a new listener that doorbells reach it from now on. Older versions ignore both.
 * Thread-safe.
 */
public final class RemoteListeners {

  /** The time between two messages of a listener. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A process that is silent for so long has no listener any more. */
  private static final long SILENCE_NANOS = 3 * PAUSE_NANOS;

  private static final Pattern MESSAGE = Pattern.compile("([0-9a-f-]{36})(?:/([0-9a-f-]{36}))?");

  private final String self = UUID.randomUUID().toString();
  private final LongSupplier nanoTime;
  private final Map<String, Long> heardAt = new HashMap<>();
  private int own;
  private long certainFrom;
  private long announcedAt;

  RemoteListeners(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** The name of this process in messages. */
  String self() {
    return self;
  }

  /** Records that a worker of this process listens. */
  public synchronized void begin() {
    own++;
    announcedAt = nanoTime.getAsLong();
    certainFrom = announcedAt + SILENCE_NANOS;
  }

  /** Records that a worker of this process no longer listens. */
  public synchronized void end() {
    own--;
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
  synchronized boolean mayListen() {
    long now = nanoTime.getAsLong();
    if (own == 0 || now - certainFrom < 0 || isLate(now)) {
      return true;
    }
    heardAt.values().removeIf(at -> now - at > SILENCE_NANOS);
    return !heardAt.isEmpty();
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
    boolean known = mayListen(parts.group(1));
    heardAt.put(parts.group(1), nanoTime.getAsLong());
    if (self.equals(parts.group(2))) {
      missed.run();
    }
    return known || parts.group(2) != null
        ? Optional.empty()
        : Optional.of(self + "/" + parts.group(1));
  }

  private boolean mayListen(String process) {
    Long at = heardAt.get(process);
    return at != null && nanoTime.getAsLong() - at <= SILENCE_NANOS;
  }
}
