package dev.rota.admin.internal;

import dev.rota.admin.Finding;
import dev.rota.admin.Finding.Severity;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.text.SafeText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Looks for live workers that run what rules hold back, and for pools without one. */
final class OldWorkersCheck {

  private static final Sql RULES_IN_SIGHT = Sql.named("rules_in_sight");
  private static final Sql OLD_WORKERS = Sql.named("old_workers");
  private static final Sql IDLE_POOLS = Sql.named("idle_pools");

  private final RegistryTables tables;

  OldWorkersCheck(RegistryTables tables) {
    this.tables = tables;
  }

  /** The findings; none where the tables are missing or older, or where the session sees none. */
  List<Finding> findings(Session session) throws SQLException {
    if (!rulesInSight(session)) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>(session.run(oldWorkers()));
    findings.addAll(session.run(idlePools()));
    return findings;
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
        "they do not know all rules, and run tasks of paused scopes or of other pools",
        "bring them up to date, or remove the rules until then");
  }

  private BoundStatement<List<Finding>> idlePools() {
    return BoundStatement.query(
        IDLE_POOLS.call(),
        IDLE_POOLS.on(
            Map.of(
                "workers", tables.workers(),
                "rules", tables.rules(),
                "tenants", tables.tenants())),
        OldWorkersCheck::idle);
  }

  private static Finding idle(ResultSet row) throws SQLException {
    return new Finding(
        "pools",
        Severity.WARNING,
        "no worker with a heartbeat serves pool %s of %d tenants, such as %s"
            .formatted(row.getString(1), row.getLong(2), SafeText.of(row.getString(3))),
        "their tasks wait",
        "start a worker with pools(\"%s\"), or give the tenants another pool"
            .formatted(row.getString(1)));
  }
}
