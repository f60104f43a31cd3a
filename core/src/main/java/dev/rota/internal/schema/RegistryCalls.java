package dev.rota.internal.schema;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.RowReader;
import dev.rota.internal.sql.Sql;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls out of statements whose places are tables of the registry, each under the one name
 * that it has in all of them. For statements outside the hot path.
 */
public final class RegistryCalls {

  private final Map<String, Name> places;

  /** Of one registry. */
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

  /** A statement that returns rows. */
  public <T> BoundStatement<List<T>> query(
      Sql statement, RowReader<T> reader, @Nullable Object... binds) {
    return BoundStatement.query(statement.call(), statement.on(places), reader, binds);
  }

  /** A statement that returns the number of rows it changed. */
  public BoundStatement<Integer> update(Sql statement, @Nullable Object... binds) {
    return BoundStatement.update(statement.call(), statement.on(places), binds);
  }

  /** The same with further places. */
  public BoundStatement<Integer> update(
      Sql statement, Map<String, Name> further, @Nullable Object... binds) {
    Map<String, Name> all = new HashMap<>(places);
    all.putAll(further);
    return BoundStatement.update(statement.call(), statement.on(all), binds);
  }
}
