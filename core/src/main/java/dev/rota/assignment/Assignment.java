package dev.rota.assignment;

/**
 * One worker at one task. The numbers of both are yours.
 *
 * @param worker the worker
 * @param task the task
 * @param token tells this assignment from all others, earlier and later ones of the same two
 *     included; whoever holds an assignment that was taken away cannot release its successor
 */
public record Assignment(long worker, long task, long token) {}
