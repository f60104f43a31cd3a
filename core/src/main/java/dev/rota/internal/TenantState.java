package dev.rota.internal;

/**
 * A tenant's row of the registry, as last seen. Being stale costs order or a repeated transaction,
 * never a task.
 *
 * @param number in the names of its tables
 * @param name for people
 * @param closed whether it refuses new tasks
 * @param currentSlot where producers write
 * @param currentSegment where claims write
 */
public record TenantState(
    int number, String name, boolean closed, int currentSlot, int currentSegment) {}
