package dev.rota.erasure.internal;

import dev.rota.archive.internal.DefaultArchive;
import dev.rota.archive.internal.StoreOwner;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.ErasureReceipt.Part;
import dev.rota.erasure.internal.Receipts.Line;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jooq.Name;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Runs the statements of {@code erasure.sql}, and records the parts of the tenant that it removes.
 */
final class ErasureJournal {

  private static final Sql FIND_TENANT_TO_ERASE = Sql.named("find_tenant_to_erase");
  private static final Sql FIND_ERASURE = Sql.named("find_erasure");
  private static final Sql LOCK_TENANT_TO_ERASE = Sql.named("lock_tenant_to_erase");
  private static final Sql BEGIN_ERASURE = Sql.named("begin_erasure");
  private static final Sql NOTE_ROWS_TO_ERASE = Sql.named("note_rows_to_erase");
  private static final Sql NOTE_OBJECTS_TO_ERASE = Sql.named("note_objects_to_erase");
  private static final Sql EXPIRE_OBJECTS_TO_ERASE = Sql.named("expire_objects_to_erase");
  private static final Sql DELETE_ERRORS_OF_TENANT = Sql.named("delete_errors_of_tenant");
  private static final Sql BLANK_AUDITED_OF_TENANT = Sql.named("blank_audited_of_tenant");
  private static final Sql DELETE_TENANT = Sql.named("delete_tenant");
  private static final Sql LIST_TABLES_TO_ERASE = Sql.named("list_tables_to_erase");
  private static final Sql ERASE_VIEW = Sql.named("erase_view");
  private static final Sql ERASE_MATERIALIZED_VIEW = Sql.named("erase_materialized_view");
  private static final Sql ERASE_FOREIGN_TABLE = Sql.named("erase_foreign_table");
  private static final Sql LOCK_TABLE_TO_ERASE = Sql.named("lock_table_to_erase");
  private static final Sql NOTE_TABLE_TO_ERASE = Sql.named("note_table_to_erase");
  private static final Sql ERASE_TABLE = Sql.named("erase_table");
  private static final Sql LEDGER_SEGMENTS_TO_ERASE = Sql.named("ledger_segments_to_erase");
  private static final Sql ERASE_BATCHES = Sql.named("erase_batches");
  private static final Sql ERASE_SCHEMA = Sql.named("erase_schema");
  private static final Sql LIST_OBJECTS_TO_ERASE = Sql.named("list_objects_to_erase");
  private static final Sql NOTE_OBJECT_TO_ERASE = Sql.named("note_object_to_erase");
  private static final Sql NOTE_ERASED_OBJECT = Sql.named("note_erased_object");
  private static final Sql FORGET_ERASED_OBJECTS = Sql.named("forget_erased_objects");
  private static final Sql LIST_BEGUN_OBJECTS = Sql.named("list_begun_objects");
  private static final Sql LOCK_OUT_ARCHIVERS = Sql.named("lock_out_archivers");
  private static final Sql FORGET_BEGUN_OBJECTS = Sql.named("forget_begun_objects");
  private static final Sql READ_ERASURE = Sql.named("read_erasure");
  private static final Sql READ_TIMES_OF_ERASURE = Sql.named("read_times_of_erasure");
  private static final Sql FINISH_ERASURE = Sql.named("finish_erasure");

  private final RegistryTables rota;
  private final RegistryCalls calls;

  /** The facts that may prevent an erasure. */
  record Readiness(boolean closed, boolean held, boolean attached, long objects) {}

  /** An erasure that was begun; with a receipt, it is finished. */
  record Begun(ErasureTarget target, @Nullable String receipt) {}

  /** A table, view or similar relation. */
  record Relation(Name name, String kind) {}

  private record Times(String begun, String now, @Nullable String receipt) {}

  ErasureJournal(RegistryTables rota) {
    this.rota = rota;
    this.calls = new RegistryCalls(rota);
  }

  Optional<ErasureTarget> tenant(Session session, String name) throws SQLException {
    return calls
        .run(session, FIND_TENANT_TO_ERASE, row -> victim(row.getInt(1), name), name)
        .stream()
        .findFirst();
  }

  Optional<Begun> find(Session session, String name) throws SQLException {
    return calls
        .run(
            session,
            FIND_ERASURE,
            row -> new Begun(victim(row.getInt(1), row.getString(2)), row.getString(3)),
            name)
        .stream()
        .findFirst();
  }

  /** Locks the tenant; empty if it is gone. */
  Optional<Readiness> lock(Session session, ErasureTarget target) throws SQLException {
    return calls
        .run(
            session,
            LOCK_TENANT_TO_ERASE,
            row ->
                new Readiness(
                    row.getBoolean(1), row.getBoolean(2), row.getBoolean(3), row.getLong(4)),
            target.tables().archived().toString(),
            target.number())
        .stream()
        .findFirst();
  }

  /** Records the rows that are removed with the tenant's row of the registry, and deletes it. */
  void decide(Session session, ErasureTarget target) throws SQLException {
    update(session, BEGIN_ERASURE, target.number());
    noteRows(session, target, rota.tenants(), "number");
    for (Name table :
        List.of(
            rota.segments(),
            rota.schedules(),
            rota.statistics(),
            rota.tenantErrors(),
            rota.usage(),
            rota.rules(),
            rota.assignmentPools(),
            rota.cancelRequests(),
            rota.setAside(),
            rota.audit(),
            rota.archive())) {
      noteRows(session, target, table, "tenant");
    }
    update(session, NOTE_OBJECTS_TO_ERASE, target.number());
    update(session, EXPIRE_OBJECTS_TO_ERASE, target.number());
    update(session, DELETE_ERRORS_OF_TENANT, target.number());
    update(session, BLANK_AUDITED_OF_TENANT, target.number());
    update(session, DELETE_TENANT, target.number());
  }

  private void noteRows(Session session, ErasureTarget target, Name table, String column)
      throws SQLException {
    update(
        session,
        NOTE_ROWS_TO_ERASE,
        Map.of("table", table, "column", DSL.name(column)),
        target.number(),
        text(table),
        target.number());
  }

  List<Relation> relations(Session session, ErasureTarget target) throws SQLException {
    String schema = String.valueOf(target.tables().schema().last());
    return calls.run(
        session,
        LIST_TABLES_TO_ERASE,
        row -> new Relation(DSL.name(schema, row.getString(1)), row.getString(2)),
        schema);
  }

  /**
   * Drops a relation. Tables are counted when they are dropped; views and foreign tables hold no
   * rows of their own.
   */
  void drop(Session session, ErasureTarget target, Relation relation) throws SQLException {
    Map<String, Name> place = Map.of("relation", relation.name());
    switch (relation.kind()) {
      case "v" -> update(session, ERASE_VIEW, place);
      case "m" -> update(session, ERASE_MATERIALIZED_VIEW, place);
      case "f" -> update(session, ERASE_FOREIGN_TABLE, place);
      default -> {
        update(session, LOCK_TABLE_TO_ERASE, place);
        update(
            session,
            NOTE_TABLE_TO_ERASE,
            place,
            target.number(),
            text(relation.name()),
            relation.name().toString());
        update(session, ERASE_TABLE, place);
      }
    }
  }

  List<Integer> ledgerSegments(Session session) throws SQLException {
    return session.run(
        BoundStatement.query(
            LEDGER_SEGMENTS_TO_ERASE.call(),
            LEDGER_SEGMENTS_TO_ERASE.on("segments", rota.ledgerSegments()),
            row -> row.getInt(1)));
  }

  void deleteBatches(Session session, ErasureTarget target, int segment) throws SQLException {
    update(
        session,
        ERASE_BATCHES,
        Map.of("ledger", rota.ledger(segment)),
        target.number(),
        target.number(),
        text(rota.ledgerView()));
  }

  void dropSchema(Session session, ErasureTarget target) throws SQLException {
    update(session, ERASE_SCHEMA, Map.of("schema", target.tables().schema()));
  }

  List<String> objects(Session session, ErasureTarget target) throws SQLException {
    return calls.run(session, LIST_OBJECTS_TO_ERASE, row -> row.getString(1), target.number());
  }

  void noteObject(Session session, ErasureTarget target, String key, long bytes)
      throws SQLException {
    update(session, NOTE_OBJECT_TO_ERASE, target.number(), key, bytes);
  }

  void removed(Session session, ErasureTarget target, String key) throws SQLException {
    update(session, NOTE_ERASED_OBJECT, target.number(), key);
  }

  void forgetArchived(Session session, ErasureTarget target) throws SQLException {
    update(session, FORGET_ERASED_OBJECTS, target.number());
  }

  /** Objects whose last put may have been interrupted, or may still be in progress. */
  List<String> begun(Session session, ErasureTarget target) throws SQLException {
    return calls.run(session, LIST_BEGUN_OBJECTS, row -> row.getString(1), target.number());
  }

  /** Locks archivers out; false if one is active. */
  boolean lockOutArchivers(Session session, int namespace) throws SQLException {
    return calls
        .run(
            session,
            LOCK_OUT_ARCHIVERS,
            row -> row.getBoolean(1),
            namespace,
            DefaultArchive.ARCHIVERS_LOCK)
        .get(0);
  }

  /** The identity of this database in object stores. */
  String owner(Session session) throws SQLException {
    return StoreOwner.self(session, rota);
  }

  void forgetBegun(Session session, ErasureTarget target) throws SQLException {
    update(session, FORGET_BEGUN_OBJECTS, target.number());
  }

  /** Writes the receipt, unless another eraser has written it. */
  ErasureReceipt finish(Session session, ErasureTarget target) throws SQLException {
    Times times =
        calls
            .run(
                session,
                READ_TIMES_OF_ERASURE,
                row -> new Times(row.getString(1), row.getString(2), row.getString(3)),
                target.number())
            .get(0);
    if (times.receipt() != null) {
      return ErasureReceipt.parse(times.receipt());
    }
    List<Line> lines = calls.run(session, READ_ERASURE, ErasureJournal::line, target.number());
    ErasureReceipt receipt = Receipts.write(target, times.begun(), times.now(), lines);
    update(session, FINISH_ERASURE, receipt.json(), target.number());
    return receipt;
  }

  private static Line line(ResultSet row) throws SQLException {
    Part part =
        new Part(
            Receipts.kind(row.getString(1)),
            row.getString(2),
            number(row, 3),
            number(row, 4),
            Optional.ofNullable(row.getString(5)));
    return new Line(part, row.getString(6));
  }

  private static OptionalLong number(ResultSet row, int column) throws SQLException {
    long number = row.getLong(column);
    return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(number);
  }

  private ErasureTarget victim(int number, String name) {
    return new ErasureTarget(number, name, rota.tenant(number));
  }

  /** Formats a name without quotes, for receipts. */
  private static String text(Name name) {
    return name.unquotedName().toString();
  }

  private void update(Session session, Sql statement, Object... binds) throws SQLException {
    update(session, statement, Map.of(), binds);
  }

  private void update(Session session, Sql statement, Map<String, Name> places, Object... binds)
      throws SQLException {
    int unused = session.run(calls.update(statement, places, binds));
  }
}
