package dev.rota.internal.schema;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowReader;
import dev.rota.internal.db.Session;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Binds statements whose places are tables of the registry, each under the one name that it has in
 * all statements. For statements outside the hot path.
 */
public final class RegistryCalls {

  private final Map<String, Name> places;

  /** Creates the calls of one registry. */
  public RegistryCalls(RegistryTables rota) {
    places =
        Map.ofEntries(
            Map.entry("tenants", rota.tenants()),
            Map.entry("segments", rota.segments()),
            Map.entry("workers", rota.workers()),
            Map.entry("ledger", rota.ledgerView()),
            Map.entry("ledger_segments", rota.ledgerSegments()),
            Map.entry("schedules", rota.schedules()),
            Map.entry("statistics", rota.statistics()),
            Map.entry("kind_statistics", rota.kindStatistics()),
            Map.entry("errors", rota.errors()),
            Map.entry("tenant_errors", rota.tenantErrors()),
            Map.entry("audit", rota.audit()),
            Map.entry("archive", rota.archive()),
            Map.entry("usage", rota.usage()),
            Map.entry("owner", rota.archiveOwner()),
            Map.entry("erasures", rota.erasures()),
            Map.entry("parts", rota.erasureParts()));
  }

  /** Creates a statement that returns rows. */
  public <T> BoundStatement<List<T>> query(
      Sql statement, RowReader<T> reader, @Nullable Object... binds) {
    return BoundStatement.query(statement.call(), statement.on(places), reader, binds);
  }

  /** Runs a statement in a transaction of the caller, and returns its rows. */
  public <T> List<T> run(
      Session session, Sql statement, RowReader<T> reader, @Nullable Object... binds)
      throws SQLException {
    return session.run(query(statement, reader, binds));
  }

  /** Creates a statement that returns the number of rows it changed. */
  public BoundStatement<Integer> update(Sql statement, @Nullable Object... binds) {
    return BoundStatement.update(statement.call(), statement.on(places), binds);
  }

  /** Creates an update with further places. */
  public BoundStatement<Integer> update(
      Sql statement, Map<String, Name> further, @Nullable Object... binds) {
    Map<String, Name> all = new HashMap<>(places);
    all.putAll(further);
    return BoundStatement.update(statement.call(), statement.on(all), binds);
  }
}
