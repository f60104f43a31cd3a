package dev.rota.transfer.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;

/** Reserves numbers that tenants had in another database. */
final class TenantNumbers {

  private static final Sql HOLD_TENANTS = Sql.named("hold_tenants");
  private static final Sql MOVE_TENANT_NUMBERS = Sql.named("move_tenant_numbers");

  private final RegistryTables rota;
  private final RegistryCalls calls;

  TenantNumbers(RegistryTables rota) {
    this.rota = rota;
    this.calls = new RegistryCalls(rota);
  }

  /**
   * Blocks the registration of tenants until the transaction ends; an INSERT draws numbers only
   * after it has its lock. Existing tenants do not change either.
   */
  void hold(Session session) throws SQLException {
    int unused = session.run(calls.update(HOLD_TENANTS));
  }

  /** Makes tenants get greater numbers from now on. The numbers must be {@link #hold held}. */
  void skipTo(Session session, int last) throws SQLException {
    session.run(
        BoundStatement.query(
            MOVE_TENANT_NUMBERS, row -> row.getLong(1), Sql.render(rota.tenants()), last));
  }
}
