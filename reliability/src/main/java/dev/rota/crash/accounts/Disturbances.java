package dev.rota.crash.accounts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The events that may have kept processes from holding their leases, with their times by the clock
 * of the machine. Thread-safe.
 */
public final class Disturbances {

  /** The victim of faults of the server, which hit every process. */
  public static final String ALL = "all";

  /** The cause of a silence of a process without a fault. */
  public static final String PAUSE = "PAUSE";

  /** The cause of a frozen process, which keeps everything that it holds. */
  public static final String FREEZE_WORKER = "FREEZE_WORKER";

  /**
   * An event.
   *
   * @param cause the fault
   * @param victim the process that it silenced, or {@link #ALL}
   * @param from its begin, in milliseconds since 1970
   * @param to its end
   */
  public record Disturbance(String cause, String victim, long from, long to) {

    boolean hits(String process) {
      return victim.equals(ALL) || victim.equals(process);
    }

    /** How long the process was frozen in this event, within the time between two moments. */
    long frozen(String process, long since, long until) {
      return victim.equals(process) && cause.equals(FREEZE_WORKER)
          ? Math.max(0, Math.min(to, until) - Math.max(from, since))
          : 0;
    }
  }

  private static final Comparator<Disturbance> LIKELIEST =
      Comparator.<Disturbance, Boolean>comparing(each -> each.cause().equals(PAUSE))
          .thenComparing(each -> each.victim().equals(ALL));

  private final List<Disturbance> all = new ArrayList<>();
  private final long leaseMillis;

  /** Creates an empty list, for processes with leases of this length. */
  public Disturbances(Duration lease) {
    this.leaseMillis = lease.toMillis();
  }

  /** Adds an event. */
  public synchronized void add(String cause, String victim, long from, long to) {
    all.add(new Disturbance(cause, victim, from, to));
  }

  /** Adds a silence of a process without a fault, if it can have ended the process's lease. */
  public synchronized void pause(String process, long from, long to) {
    if (to - from > shortestSilence()) {
      add(PAUSE, process, from, to);
    }
  }

  /**
   * The shortest silence that can end a lease. The lease runs from the last heartbeat on.
   * Heartbeats are a fifth of a lease apart, and another fifth is left to the answers of the
   * server.
   */
  private long shortestSilence() {
    return leaseMillis * 3 / 5;
  }

  /**
   * Finds the event that silenced a process so early that its lease could end. It is a fault of the
   * process, or one of the server, or else a pause. A lease runs from the last heartbeat on, so it
   * began up to its length before the run that it covers.
   *
   * @param begun the time at which the process began to run a task
   * @param lostAt the time at which it lost the batch of that run
   */
  public Optional<Disturbance> endedLease(String process, long begun, long lostAt) {
    return within(process, begun, lostAt - shortestSilence());
  }

  /**
   * Finds an event of a process between the lease of a run and the next run of its task. An example
   * is its orderly end, which waits for no lease. A frozen process continues where it stopped, so
   * the time in which it was frozen does not count. It runs its earlier tasks after the thaw.
   *
   * @param begun the time at which the process began to run a task
   * @param again the time at which another run of the task began
   */
  public synchronized Optional<Disturbance> within(String process, long begun, long again) {
    return all.stream()
        .filter(each -> each.hits(process))
        .filter(each -> each.from() <= again)
        .filter(each -> begun - each.to() - frozen(process, each.to(), begun) <= leaseMillis)
        .min(LIKELIEST);
  }

  private long frozen(String process, long since, long until) {
    return all.stream().mapToLong(each -> each.frozen(process, since, until)).sum();
  }
}
