/**
 * Settles: batches with their lease, outcomes of tasks, and recovery of batches whose worker died.
 * Not for users.
 */
@NullMarked
package dev.rota.internal.settle;

import org.jspecify.annotations.NullMarked;
