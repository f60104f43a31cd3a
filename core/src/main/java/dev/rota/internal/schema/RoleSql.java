package dev.rota.internal.schema;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.SqlNames;
import org.jooq.Name;
import org.jooq.impl.DSL;

/** The statements about roles: who owns what Rota makes, and who may use it. */
public final class RoleSql {

  private static final Sql ACT_AS_KEEPER = Sql.named("act_as_keeper");

  private RoleSql() {}

  /** Lets the rest of a transaction, which makes tables, act as the role that owns the ledger. */
  public static BoundStatement<?> actAsKeeper(RegistryTables tables) {
    return BoundStatement.query(ACT_AS_KEEPER, row -> true, SqlNames.sql(tables.ledgerView()));
  }

  /** The name of a role in a statement. */
  public static Name role(String role) {
    return DSL.name(role);
  }
}
