package dev.rota.archive;

/**
 * The archive counters of a daemon since it was started.
 *
 * @param segments segments archived; a repeated archiving counts again
 * @param tasks rows in them, one for each attempt of a task
 * @param bytes the size of their files
 * @param deleted files deleted because their time was over
 * @param failures attempts to archive, check or delete a file that failed
 */
public record ArchiveStatistics(
    long segments, long tasks, long bytes, long deleted, long failures) {}
