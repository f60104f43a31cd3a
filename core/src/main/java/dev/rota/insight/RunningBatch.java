package dev.rota.insight;

import java.time.Duration;

/**
 * A batch that is claimed and not closed. Immutable.
 *
 * @param batch its number
 * @param tenant the name of its tenant; empty text if that is being erased
 * @param worker the number of the process that holds it
 * @param tasks how many tasks it has, including those that have ended
 * @param age how long ago it was claimed
 */
public record RunningBatch(long batch, String tenant, long worker, int tasks, Duration age) {}
