package dev.rota.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.RoleSql;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TenantDdl;
import dev.rota.internal.db.TenantUpgradeSql;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives tenants that an older version registered the columns they lack, each in a transaction of
 * its own. The columns are null, so that no row is touched.
 */
final class TenantUpgrade {

  private static final Logger log = LoggerFactory.getLogger(TenantUpgrade.class);

  private final Engine engine;
  private final PatientChange change;
  private final TenantDdl ddl;

  TenantUpgrade(Engine engine) {
    this.engine = engine;
    this.change =
        new PatientChange(
            engine.database(),
            "them",
            "stop the workers of the older version or end long transactions, and migrate again");
    this.ddl = new TenantDdl(engine.tables());
  }

  void run() {
    List<Integer> outdated =
        engine.database().transaction("look for outdated tenants", this::outdated);
    for (int number : outdated) {
      upgrade(engine.registry().get(number));
    }
    if (!outdated.isEmpty()) {
      log.info("Rota added columns to the tables of {} tenants", outdated.size());
    }
  }

  private List<Integer> outdated(Session session) throws SQLException {
    return session.run(
        Call.query(
            TenantUpgradeSql.OUTDATED.call(),
            TenantUpgradeSql.OUTDATED.on("tenants", engine.tables().tenants()),
            row -> row.getInt(1),
            engine.tables().schema()));
  }

  private void upgrade(TenantHandle tenant) {
    String purpose = "add columns to the tables of " + tenant.label();
    try {
      change.make(purpose, session -> upgrade(session, tenant));
    } catch (SQLException e) {
      throw Errors.translate(purpose, e);
    }
  }

  /** Another process may have done it, or be doing it: the tenant's row lets one of them wait. */
  private boolean upgrade(Session session, TenantHandle tenant) throws SQLException {
    session.run(RoleSql.actAsKeeper(engine.tables()));
    RegistryEditor.lock(session, engine.tables(), tenant);
    if (!outdated(session).contains(tenant.number())) {
      return false;
    }
    List<Integer> segments =
        new HistoryMap(engine.tables(), tenant.number())
            .inDatabase(session.dsl(), Integer.MAX_VALUE).stream().sorted().toList();
    session.execute("add columns", ddl.addMarks(tenant.tables(), segments));
    return true;
  }
}
