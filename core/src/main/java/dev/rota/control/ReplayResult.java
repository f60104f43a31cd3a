package dev.rota.control;

import dev.rota.history.ArchiveUse;

/**
 * What a replay found.
 *
 * @param tasks how many tasks were enqueued once more, or would be in a dry run; with {@link
 *     Replay#once(String)} those that an earlier call has enqueued are among them
 * @param archive which files of the archive were opened
 */
public record ReplayResult(long tasks, ArchiveUse archive) {}
