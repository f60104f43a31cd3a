package dev.rota.transfer.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jooq.Name;
import org.jooq.impl.DSL;

/**
 * Takes snapshots of tenants. TRUNCATE and DROP ignore snapshots. So all tables of the tenant are
 * locked first, in the mode of a reader, and the snapshot is taken afterwards. Earlier rotations
 * are visible, and none runs until the end. The ledger, which other sessions need, is locked only
 * until the open batches are known. Thread-safe.
 */
final class Snapshots {

  private static final Sql LOCK_FOR_EXPORT = Sql.named("lock_for_export");
  private static final Sql LIST_TABLES_OF_TENANT = Sql.named("list_tables_of_tenant");
  private static final Sql FIND_OPEN_BATCHES = Sql.named("find_open_batches");

  private static final Pattern TABLES =
      Pattern.compile("task_(init|hist|wait|key|graph|node|edge|held|spread|assignment|free)_.*");
  private static final Duration LOCK_PATIENCE = Duration.ofMillis(500);
  private static final int TRIES = 10;

  private final Database database;
  private final Database snapshots;
  private final RegistryTables rota;

  Snapshots(Database database, RegistryTables rota) {
    this.database = database;
    this.rota = rota;
    this.snapshots = database.readings().withLockTimeout(LOCK_PATIENCE).asSnapshot();
  }

  /**
   * The initial state of a snapshot.
   *
   * @param tables the tenant's tables
   * @param open the open batches
   */
  record Beginning(Set<String> tables, Set<Long> open) {

    boolean has(Name table) {
      return tables.contains(table.last());
    }
  }

  /** The work on a snapshot. */
  interface Body<T> {
    T run(Session session, Beginning beginning) throws SQLException;
  }

  /** Thrown when a table was created or dropped between two reads. */
  private static final class ChangedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ChangedException() {
      super("tables of the tenant come and go all the time", null, false, false);
    }
  }

  /** Runs a transaction over a snapshot of a tenant. */
  <T> T take(String purpose, TenantRef tenant, Body<T> body) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      boolean[] begun = new boolean[1];
      Set<String> tables = database.tryTransaction(purpose, session -> tables(session, tenant));
      try {
        return snapshots.tryTransaction(
            purpose,
            session -> {
              Beginning beginning = begin(session, tenant, tables);
              begun[0] = true;
              return body.run(session, beginning);
            });
      } catch (SQLException e) {
        boolean passing = SqlErrors.isMissingTable(e) || SqlErrors.isLockConflict(e);
        if (begun[0] || attempt == TRIES || !passing) {
          throw e;
        }
      } catch (ChangedException e) {
        if (attempt == TRIES) {
          throw e;
        }
      }
    }
  }

  private Beginning begin(Session session, TenantRef tenant, Set<String> tables)
      throws SQLException {
    session.execute(
        LOCK_FOR_EXPORT.call(),
        tables.stream()
            .map(table -> LOCK_FOR_EXPORT.on("table", DSL.name(schema(tenant), table)))
            .toList());
    Savepoint mark = session.mark();
    Name ledger = rota.ledgerView();
    session.execute(LOCK_FOR_EXPORT.call(), List.of(LOCK_FOR_EXPORT.on("table", ledger)));
    Set<Long> open = new HashSet<>(longs(session, FIND_OPEN_BATCHES, ledger, tenant.number()));
    if (!tables(session, tenant).equals(tables)) {
      throw new ChangedException();
    }
    session.rollBackTo(mark);
    session.release(mark);
    return new Beginning(tables, open);
  }

  private static List<Long> longs(Session session, Sql query, Name ledger, int tenant)
      throws SQLException {
    return session.run(
        BoundStatement.query(
            query.call(), query.on("ledger", ledger), row -> row.getLong(1), tenant));
  }

  private static Set<String> tables(Session session, TenantRef tenant) throws SQLException {
    Set<String> tables = new TreeSet<>();
    session
        .run(BoundStatement.query(LIST_TABLES_OF_TENANT, row -> row.getString(1), schema(tenant)))
        .stream()
        .filter(table -> TABLES.matcher(table).matches())
        .forEach(tables::add);
    return tables;
  }

  private static String schema(TenantRef tenant) {
    return tenant.tables().schema().last();
  }
}
