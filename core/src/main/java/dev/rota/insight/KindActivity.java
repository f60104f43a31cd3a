package dev.rota.insight;

import dev.rota.history.HourlyStatistics;

/**
 * What became of the attempts of one kind, over all tenants. Immutable.
 *
 * @param kind the kind
 * @param ended how many attempts ended, and how
 * @param running the run times of their handlers
 * @param waiting the times from the enqueue of tasks until their first attempts began
 */
public record KindActivity(
    String kind,
    HourlyStatistics.Ended ended,
    HourlyStatistics.Times running,
    HourlyStatistics.Times waiting) {}
