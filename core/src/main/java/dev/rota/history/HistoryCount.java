package dev.rota.history;

import dev.rota.TaskState;
import dev.rota.Tenant;
import java.time.Instant;
import java.util.Optional;

/**
 * How many attempts of a tenant have something in common.
 *
 * @param hour the beginning of the hour in which their tasks were enqueued; empty if not asked for
 * @param kind the kind of their tasks; empty if not asked for
 * @param state their state; empty if not asked for
 * @param attempts how many there are
 * @see Tenant#countHistory
 */
public record HistoryCount(
    Optional<Instant> hour, Optional<String> kind, Optional<TaskState> state, long attempts) {}
