/**
 * Maintenance tasks: reaper, promotion of delayed tasks, schedules, graphs, keys, assignments,
 * registry. Not for users.
 */
@NullMarked
package dev.rota.daemon.internal.maintenance;

import org.jspecify.annotations.NullMarked;
