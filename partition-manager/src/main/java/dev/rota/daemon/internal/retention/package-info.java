/**
 * Retention: segments of history and of the ledger, from their start to their drop. Not for users.
 */
@NullMarked
package dev.rota.daemon.internal.retention;

import org.jspecify.annotations.NullMarked;
