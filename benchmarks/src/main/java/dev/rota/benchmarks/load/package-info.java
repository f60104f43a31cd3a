/**
 * The job of {@code rota bench}: producers, workers and a rotation daemon at once for a time, and
 * what comes of it. Tasks per second, latency by histogram, log bytes per task, and the proof that
 * nothing was lost or run twice.
 */
@NullMarked
package dev.rota.benchmarks.load;

import org.jspecify.annotations.NullMarked;
