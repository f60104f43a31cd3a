/**
 * Producers, workers and a daemon in separate processes, faults from a seed, and the accounts that
 * show whether any task was lost or ran twice.
 */
@NullMarked
package dev.rota.crash.campaign;

import org.jspecify.annotations.NullMarked;
