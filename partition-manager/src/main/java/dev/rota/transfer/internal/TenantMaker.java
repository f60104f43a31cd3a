package dev.rota.transfer.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantEditor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.List;

/** Registers a tenant for an import. Used once. */
final class TenantMaker {

  private static final Sql RESERVE_TENANT = Sql.named("reserve_tenant");
  private static final Sql NAME_ARCHIVED_FILES = Sql.named("name_archived_files");

  private final RegistryTables rota;
  private final ExportFolder folder;
  private final RowLoader.Workplace workplace;

  TenantMaker(RegistryTables rota, ExportFolder folder, RowLoader.Workplace workplace) {
    this.rota = rota;
    this.folder = folder;
    this.workplace = workplace;
  }

  /**
   * Registers the tenant, closed and empty. Its first segment comes after all imported ones; a
   * legal hold keeps the archiver from deleting objects that are recorded before they exist.
   *
   * @return its number
   */
  int reserve(Session session, ExportManifest manifest, String tenant) throws SQLException {
    session.run(RoleSql.actAsKeeper(rota));
    new TenantEditor(rota).requireFree(session, tenant);
    int firstSegment = manifest.tenant().marks().currentSegment() + 1;
    int number =
        session
            .run(
                BoundStatement.query(
                    RESERVE_TENANT.call(),
                    RESERVE_TENANT.on("tenants", rota.tenants()),
                    row -> row.getInt(1),
                    tenant,
                    manifest.export(),
                    manifest.tenant().marks().lastTaskId(),
                    firstSegment))
            .get(0);
    create(session, rota, number);
    noteObjects(session, manifest, number);
    return number;
  }

  /** Creates the objects of a tenant that was just entered into the registry. */
  static void create(Session session, RegistryTables rota, int number) throws SQLException {
    session.execute("create tenant", List.of(new TenantDdl(rota).open(rota.tenant(number))));
  }

  private void noteObjects(Session session, ExportManifest manifest, int number)
      throws SQLException {
    if (manifest.file(TableLayout.ARCHIVE.file()).isEmpty()) {
      return;
    }
    try (RowLoader loader = RowLoader.open(session, workplace)) {
      long unused =
          loader.load(
              folder.path(TableLayout.ARCHIVE.file()),
              TableLayout.ARCHIVE,
              RowLoader.Target.of(rota.archive(), "tenant", number));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    session.run(
        BoundStatement.update(
            NAME_ARCHIVED_FILES.call(), NAME_ARCHIVED_FILES.on("archive", rota.archive()), number));
  }
}
