package dev.rota.crash.accounts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What may have kept processes from holding their leases, and when by the clock of the machine.
 * Thread-safe.
 */
public final class Disturbances {

  /** Every process is hit by what hits the server. */
  public static final String ALL = "all";

  /**
   * One of them.
   *
   * @param cause the fault
   * @param victim the process that it silenced, or {@link #ALL}
   * @param from when it began, in milliseconds since 1970
   * @param to when it was over
   */
  public record Disturbance(String cause, String victim, long from, long to) {}

  /** Silence of a process that nobody ordered. */
  public static final String PAUSE = "PAUSE";

  private final List<Disturbance> all = new ArrayList<>();
  private final long leaseMillis;

  /** None so far, for processes with leases of this length. */
  public Disturbances(Duration lease) {
    this.leaseMillis = lease.toMillis();
  }

  /** Books one. */
  public synchronized void add(String cause, String victim, long from, long to) {
    all.add(new Disturbance(cause, victim, from, to));
  }

  /**
   * Books that a process was silent though nobody ordered it, if that can have ended its lease.
   * Heartbeats are a fifth of a lease apart; another fifth is left to the answers of the server.
   */
  public synchronized void pause(String process, long from, long to) {
    if (to - from > leaseMillis * 3 / 5) {
      add(PAUSE, process, from, to);
    }
  }

  /**
   * What silenced a process inside a lease: a fault, or if there was none a pause. A lease runs
   * from the last heartbeat on, so it began up to its length before the run that it covers.
   *
   * @param begun when the process began to run a task
   * @param again when another run of the task began
   */
  public synchronized Optional<Disturbance> within(String process, long begun, long again) {
    return all.stream()
        .filter(each -> each.victim().equals(ALL) || each.victim().equals(process))
        .filter(each -> each.from() <= again && each.to() >= begun - leaseMillis)
        .min(Comparator.comparing(each -> each.cause().equals(PAUSE)));
  }

  public synchronized List<Disturbance> list() {
    return List.copyOf(all);
  }
}
