/**
 * Maintenance tasks that move tasks or keep the registry small: promotion of delayed tasks, the
 * reaper, the pruner of the registry. Features bring their own. Not for users.
 */
@NullMarked
package dev.rota.daemon.internal.maintenance;

import org.jspecify.annotations.NullMarked;
