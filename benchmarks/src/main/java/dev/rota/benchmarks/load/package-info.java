/**
 * The load of {@code rota bench}: producers, workers and a rotation daemon at once for a time, and
 * the results. They are tasks per second, latency by histogram, log bytes per task, and the proof
 * that no task was lost or ran twice.
 */
@NullMarked
package dev.rota.benchmarks.load;

import org.jspecify.annotations.NullMarked;
