package dev.rota.admin.internal;

import dev.rota.admin.Finding;
import dev.rota.admin.Finding.Severity;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Looks for live workers of older versions, which run what rules hold back. */
final class OldWorkersCheck {

  private static final Sql RULES_IN_SIGHT = Sql.named("rules_in_sight");
  private static final Sql OLD_WORKERS = Sql.named("old_workers");

  private final RegistryTables tables;

  OldWorkersCheck(RegistryTables tables) {
    this.tables = tables;
  }

  /** The findings; none where the tables are missing or older, or where the session sees none. */
  List<Finding> findings(Session session) throws SQLException {
    return rulesInSight(session) ? session.run(oldWorkers()) : List.of();
  }

  private boolean rulesInSight(Session session) throws SQLException {
    return !session
        .run(BoundStatement.query(RULES_IN_SIGHT, row -> row.getString(1), tables.schema()))
        .isEmpty();
  }

  private BoundStatement<List<Finding>> oldWorkers() {
    return BoundStatement.query(
        OLD_WORKERS.call(),
        OLD_WORKERS.on("workers", tables.workers(), "rules", tables.rules()),
        OldWorkersCheck::finding);
  }

  private static Finding finding(ResultSet row) throws SQLException {
    return new Finding(
        "old workers",
        Severity.WARNING,
        "workers of an older version of Rota have a heartbeat: "
            + row.getLong(1)
            + ", such as "
            + row.getString(2),
        "they know no rules, and run tasks of paused scopes",
        "bring them up to date, or remove the rules until then");
  }
}
