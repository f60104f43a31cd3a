package dev.rota.benchmarks.pause;

import java.time.Duration;

/**
 * A trial of pauses.
 *
 * @param pending how many tasks the tenant has
 * @param run how long each of them runs
 * @param handlers how many handlers the worker has
 * @param rounds how often to pause and resume
 * @param quiet how long to watch for tasks that begin during each pause
 */
record PauseSettings(long pending, Duration run, int handlers, int rounds, Duration quiet) {}
