package dev.rota.daemon.internal.leader;

import dev.rota.internal.maintenance.LeadershipEndedException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Inserts rests into lengthy work, and stops it between two steps. */
public final class Throttle {

  private final double share;
  private final BooleanSupplier stopping;

  /** Work was given up because its daemon is being closed; it is begun again by the next one. */
  static final class StoppedException extends LeadershipEndedException {

    private static final long serialVersionUID = 1L;

    StoppedException() {
      super("the daemon is being closed", null, false);
    }
  }

  /** Creates a throttle for work that may take this part of the time. */
  public Throttle(double share, BooleanSupplier stopping) {
    this.share = share;
    this.stopping = stopping;
  }

  /** Rests after a step that began at that time. */
  public void restAfter(long startedAt) {
    long worked = System.nanoTime() - startedAt;
    long until = System.nanoTime() + (long) (worked * (1 - share) / share);
    while (!stopping.getAsBoolean() && until - System.nanoTime() > 0) {
      LockSupport.parkNanos(until - System.nanoTime());
    }
    goOn();
  }

  /**
   * Continues between two steps.
   *
   * @throws StoppedException if the daemon is being closed
   */
  public void goOn() {
    if (stopping.getAsBoolean()) {
      throw new StoppedException();
    }
  }
}
