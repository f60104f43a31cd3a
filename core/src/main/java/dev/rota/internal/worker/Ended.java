package dev.rota.internal.worker;

import dev.rota.internal.Outcome;

/**
 * An attempt that ended, with its times on the clock of this process.
 *
 * @param outcome what became of it
 * @param beganAt when its handler was called, in nanoseconds as {@link System#nanoTime} counts
 * @param nanos how long the handler ran
 */
record Ended(Outcome outcome, long beganAt, long nanos) {}
