package dev.rota.internal.worker;

import dev.rota.internal.settle.Outcome;
import java.util.Collection;
import java.util.function.UnaryOperator;

/** Is told what became of the attempts of a worker, once that is committed. Thread-safe. */
public interface SettleListener {

  /**
   * Attempts have ended.
   *
   * @param written what was written instead of a reported outcome; mostly that outcome itself
   */
  void settled(Collection<Ended> attempts, UnaryOperator<Outcome> written);

  /**
   * An attempt that ended, with its times on the clock of this process.
   *
   * @param outcome what became of it, as it was reported
   * @param beganAt when its handler was called, in nanoseconds as {@link System#nanoTime} counts
   * @param nanos how long the handler ran
   */
  record Ended(Outcome outcome, long beganAt, long nanos) {}
}
