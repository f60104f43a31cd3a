/**
 * Producers, workers and a daemon in processes of their own, faults from a seed, and the accounts
 * that tell whether anything was lost or done twice.
 */
@NullMarked
package dev.rota.crash.campaign;

import org.jspecify.annotations.NullMarked;
