package dev.rota.internal.key;

/**
 * The run of a task with a version, as its claim found it.
 *
 * @param number counts the runs of the key
 * @param version the newest version at that moment
 */
public record VersionedRun(long number, long version) {}
