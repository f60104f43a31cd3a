package dev.rota.control;

import dev.rota.history.ArchiveUse;

/**
 * The result of a replay.
 *
 * @param tasks how many tasks were enqueued once more, or would be in a dry run. With {@link
 *     Replay#once(String)} this includes tasks that an earlier call has enqueued
 * @param archive the archive files that were read, and those that were not available
 */
public record ReplayResult(long tasks, ArchiveUse archive) {}
