package dev.rota.demo;

/**
 * A line of a trace.
 *
 * @param job the job
 * @param task the task within the job
 * @param instances how many tasks it becomes
 * @param fails whether they fail
 */
record TraceRow(long job, long task, int instances, boolean fails) {}
