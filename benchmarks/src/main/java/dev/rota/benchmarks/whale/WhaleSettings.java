package dev.rota.benchmarks.whale;

import java.time.Duration;

/**
 * A trial of small tenants beside a whale.
 *
 * @param rate how many tasks the small tenants have each second, all together
 * @param handlers how many handlers the worker has
 * @param rounds how often to repeat each trial
 * @param warmup how long to run before measuring
 * @param measured how long to measure
 */
record WhaleSettings(int rate, int handlers, int rounds, Duration warmup, Duration measured) {}
