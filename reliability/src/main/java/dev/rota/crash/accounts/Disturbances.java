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

  /** Silence of a process that nobody ordered. */
  public static final String PAUSE = "PAUSE";

  /** A process stands still, with all that it holds. */
  public static final String FREEZE_WORKER = "FREEZE_WORKER";

  /**
   * One of them.
   *
   * @param cause the fault
   * @param victim the process that it silenced, or {@link #ALL}
   * @param from when it began, in milliseconds since 1970
   * @param to when it was over
   */
  public record Disturbance(String cause, String victim, long from, long to) {

    boolean hits(String process) {
      return victim.equals(ALL) || victim.equals(process);
    }

    /** How long the process stood still in this, of the time between two moments. */
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

  /** None so far, for processes with leases of this length. */
  public Disturbances(Duration lease) {
    this.leaseMillis = lease.toMillis();
  }

  /** Books one. */
  public synchronized void add(String cause, String victim, long from, long to) {
    all.add(new Disturbance(cause, victim, from, to));
  }

  /** Books that a process was silent though nobody ordered it, if that can have ended its lease. */
  public synchronized void pause(String process, long from, long to) {
    if (to - from > shortestSilence()) {
      add(PAUSE, process, from, to);
    }
  }

  /**
   * How long a process is silent at least before its lease ends. The lease runs from the last
   * heartbeat on; they are a fifth of a lease apart, and another fifth is left to the answers of
   * the server.
   */
  private long shortestSilence() {
    return leaseMillis * 3 / 5;
  }

  /**
   * What silenced a process so early that its lease could end: a fault of its own, or one of the
   * server, or if there was none a pause. A lease runs from the last heartbeat on, so it began up
   * to its length before the run that it covers.
   *
   * @param begun when the process began to run a task
   * @param lostAt when the batch of that run was taken from it
   */
  public Optional<Disturbance> endedLease(String process, long begun, long lostAt) {
    return within(process, begun, lostAt - shortestSilence());
  }

  /**
   * What disturbed a process between the lease of a run and the next run of its task, such as its
   * end in good order, which waits for no lease. A frozen process goes on where it stopped, so the
   * time in which it was frozen does not count: what it held before, it runs after the thaw.
   *
   * @param begun when the process began to run a task
   * @param again when another run of the task began
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
