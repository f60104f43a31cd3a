package dev.rota;

/**
 * The counters of a worker since it was started.
 *
 * @param claimed tasks claimed
 * @param done tasks settled as done
 * @param failed attempts that failed and are retried
 * @param dead tasks that failed for the last time
 * @param lost outcomes that were dropped because the batch had lost its lease
 */
public record WorkerStatistics(long claimed, long done, long failed, long dead, long lost) {}
