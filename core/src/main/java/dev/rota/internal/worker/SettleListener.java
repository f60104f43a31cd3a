package dev.rota.internal.worker;

import dev.rota.internal.settle.Outcome;
import java.util.Collection;
import java.util.function.UnaryOperator;

/** Called with the outcomes of a worker's attempts once they are committed. Thread-safe. */
public interface SettleListener {

  /**
   * Called when attempts have ended.
   *
   * @param written maps a reported outcome to the written one; usually the same
   */
  void settled(Collection<Ended> attempts, UnaryOperator<Outcome> written);

  /**
   * An attempt that ended, with its times on the clock of this process.
   *
   * @param outcome its outcome as reported
   * @param beganAt the time of its handler's call, in nanoseconds of {@link System#nanoTime}
   * @param nanos how long the handler ran
   */
  record Ended(Outcome outcome, long beganAt, long nanos) {}
}
