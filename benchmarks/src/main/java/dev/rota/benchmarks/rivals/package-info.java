/**
 * The rivals in the comparison, and Rota itself, behind one interface. The rivals are hand-written
 * JDBC on Rota's own tables, the functions of the original design, a queue with a status column,
 * db-scheduler, and graphile-worker.
 */
@NullMarked
package dev.rota.benchmarks.rivals;

import org.jspecify.annotations.NullMarked;
