package dev.rota.internal.schema;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.sql.Sql;
import org.jooq.Name;
import org.jooq.impl.DSL;

/** The statements about roles: the owners of Rota's objects, and the rights to use them. */
public final class RoleSql {

  private static final Sql ACT_AS_KEEPER = Sql.named("act_as_keeper");

  private RoleSql() {}

  /**
   * Makes the rest of a transaction, which creates tables, act as the role that owns the ledger.
   */
  public static BoundStatement<?> actAsKeeper(RegistryTables tables) {
    return BoundStatement.query(ACT_AS_KEEPER, row -> true, Sql.render(tables.ledgerView()));
  }

  /** The name of a role in a statement. */
  public static Name role(String role) {
    return DSL.name(role);
  }
}
