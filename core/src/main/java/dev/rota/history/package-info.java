/**
 * History: pages and counts of attempts, groups of errors, hourly statistics, retention, and the
 * archive's contract.
 */
@NullMarked
package dev.rota.history;

import org.jspecify.annotations.NullMarked;
