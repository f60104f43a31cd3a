package dev.rota;

import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.List;

/** Finds batches under conditions of a test. */
final class LedgerRows {

  private LedgerRows() {}

  /** The condition names the ledger's view {@code b}. */
  static List<BatchLocation> find(
      Session session, RegistryTables tables, String condition, Object... binds)
      throws SQLException {
    Sql statement =
        new Sql(
            "find batches",
            "select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block,"
                + " b.tasks from {ledger} b "
                + condition);
    return session.run(BatchLocation.find(statement, tables, binds));
  }
}
