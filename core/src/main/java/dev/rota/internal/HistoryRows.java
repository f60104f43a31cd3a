package dev.rota.internal;

import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Table;

/**
 * Rows of a tenant's history that stand together, in the database or in a file of the archive, and
 * that are asked for in the same words.
 *
 * @param dsl where to ask
 * @param table has the columns of the tenant's view of its history
 * @param condition which of its rows are meant
 */
record HistoryRows(DSLContext dsl, Table<Record> table, Condition condition) {

  /** Reads them. */
  @FunctionalInterface
  interface Reading<T> {
    T of(HistoryRows rows);
  }
}
