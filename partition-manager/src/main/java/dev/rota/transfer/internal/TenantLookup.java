package dev.rota.transfer.internal;

import dev.rota.internal.db.BoundStatement.RowReader;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Finds tenants of this database by name, number or archived files. Only reads. */
final class TenantLookup {

  private static final Sql FIND_TENANT_TO_RESTORE = Sql.named("find_tenant_to_restore");
  private static final Sql LOOK_FOR_TENANTS_OF_AN_ARCHIVE =
      Sql.named("look_for_tenants_of_an_archive");
  private static final Sql LOOK_FOR_AN_ERASURE = Sql.named("look_for_an_erasure");
  private static final Sql LOOK_FOR_THE_HOLDER_OF_ARCHIVED_FILES =
      Sql.named("look_for_the_holder_of_archived_files");

  private final Database database;
  private final RegistryCalls calls;

  TenantLookup(Database database, RegistryTables tables) {
    this.database = database;
    this.calls = new RegistryCalls(tables);
  }

  /** A tenant that has the name. */
  record Here(int number, boolean importing) {}

  /** A tenant that has a number. */
  record Holder(int number, String name) {}

  Optional<Here> find(String name) throws SQLException {
    return database.tryTransaction(FIND_TENANT_TO_RESTORE.call(), session -> find(session, name));
  }

  Optional<Here> find(Session session, String name) throws SQLException {
    return session
        .run(
            calls.query(
                FIND_TENANT_TO_RESTORE, row -> new Here(row.getInt(1), row.getBoolean(2)), name))
        .stream()
        .findFirst();
  }

  List<Holder> holders(Collection<Integer> numbers) throws SQLException {
    return database.tryTransaction(
        LOOK_FOR_TENANTS_OF_AN_ARCHIVE.call(), session -> holders(session, numbers));
  }

  List<Holder> holders(Session session, Collection<Integer> numbers) throws SQLException {
    return session.run(
        calls.query(
            LOOK_FOR_TENANTS_OF_AN_ARCHIVE,
            row -> new Holder(row.getInt(1), row.getString(2)),
            (Object) numbers.toArray(Integer[]::new)));
  }

  /** The name of a tenant that had the number and was erased. */
  Optional<String> erased(int number) throws SQLException {
    return first(LOOK_FOR_AN_ERASURE, row -> row.getString(1), number);
  }

  /** Finds a tenant of another name that has files under these keys. */
  Optional<String> otherHolder(String prefix, String name) throws SQLException {
    return first(LOOK_FOR_THE_HOLDER_OF_ARCHIVED_FILES, row -> row.getString(1), prefix, name);
  }

  private <T> Optional<T> first(Sql statement, RowReader<T> reader, Object... binds)
      throws SQLException {
    return database
        .tryTransaction(
            statement.call(), session -> session.run(calls.query(statement, reader, binds)))
        .stream()
        .findFirst();
  }
}
