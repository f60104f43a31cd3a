package dev.rota.daemon.internal.parking;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowReader;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/** Binds the statements of parking to the tables of one registry. */
final class ParkingCalls {

  private final Map<String, Name> places;

  ParkingCalls(RegistryTables rota) {
    this.places =
        Map.of(
            "tenants", rota.tenants(),
            "segments", rota.segments(),
            "schedules", rota.schedules(),
            "pools", rota.assignmentPools(),
            "ledger", rota.ledgerView());
  }

  <T> BoundStatement<List<T>> query(Sql statement, RowReader<T> reader, @Nullable Object... binds) {
    return BoundStatement.query(statement.call(), statement.on(places), reader, binds);
  }

  BoundStatement<Integer> update(Sql statement, @Nullable Object... binds) {
    return BoundStatement.update(statement.call(), statement.on(places), binds);
  }
}
