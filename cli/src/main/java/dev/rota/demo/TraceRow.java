package dev.rota.demo;

/**
 * A line of a trace.
 *
 * @param job the job
 * @param task the task within the job
 * @param instances its number of tasks
 * @param fails whether they fail
 */
record TraceRow(long job, long task, int instances, boolean fails) {}
