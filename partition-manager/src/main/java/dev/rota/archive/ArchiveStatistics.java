package dev.rota.archive;

/**
 * What a daemon has done with its archive since it was started.
 *
 * @param segments segments archived, each as often as it was
 * @param tasks rows in them, one for each attempt of a task
 * @param bytes size of their files
 * @param deleted files deleted because they were kept long enough
 * @param failures attempts to archive, check or delete a file that failed
 */
public record ArchiveStatistics(
    long segments, long tasks, long bytes, long deleted, long failures) {}
