package dev.rota.internal.schema;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowReader;
import dev.rota.internal.sql.Sql;
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
        Map.of(
            "tenants", rota.tenants(),
            "segments", rota.segments(),
            "ledger", rota.ledgerView(),
            "archive", rota.archive(),
            "owner", rota.archiveOwner(),
            "erasures", rota.erasures(),
            "parts", rota.erasureParts());
  }

  /** Creates a statement that returns rows. */
  public <T> BoundStatement<List<T>> query(
      Sql statement, RowReader<T> reader, @Nullable Object... binds) {
    return BoundStatement.query(statement.call(), statement.on(places), reader, binds);
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
