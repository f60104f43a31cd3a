package dev.rota.assignment;

/**
 * One assignment of a worker to a task. The application chooses the numbers of both.
 *
 * @param worker the worker
 * @param task the task
 * @param token distinguishes this assignment from all others, earlier and later ones of the same
 *     two included. The holder of an assignment that was taken away cannot release its successor
 */
public record Assignment(long worker, long task, long token) {}
