package dev.rota.typed;

import dev.rota.Task;

/**
 * A claimed task with the value of its payload.
 *
 * @param <T> the type of the value
 * @param value the value
 * @param task the task
 */
public record TypedTask<T>(T value, Task task) {}
