/**
 * The rivals in the comparison: hand-written JDBC on Rota's own tables, the functions of the
 * original design, a queue with a status column, and db-scheduler; and Rota itself, behind the same
 * interface.
 */
@NullMarked
package dev.rota.benchmarks.rivals;

import org.jspecify.annotations.NullMarked;
