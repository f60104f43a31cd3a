package dev.rota.transfer.internal;

import dev.rota.archive.internal.DefaultArchive;
import dev.rota.internal.db.Database;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.transfer.TransferException;
import dev.rota.transfer.TransferReport;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a tenant into a folder: its data in the database as of one snapshot, then the archived
 * files that the snapshot lists. Used once.
 */
final class Exporter {

  private final Database database;
  private final RegistryTables tables;
  private final @Nullable DefaultArchive archive;
  private final ExportFolder folder;
  private final Map<String, Long> rows = new LinkedHashMap<>();

  Exporter(
      Database database,
      RegistryTables tables,
      @Nullable DefaultArchive archive,
      Path folder,
      FileObserver observer) {
    this.database = database;
    this.tables = tables;
    this.archive = archive;
    this.folder = new ExportFolder(folder, observer);
  }

  TransferReport export(TenantRef tenant) throws IOException, SQLException {
    folder.begin();
    StateExporter.State state =
        new Snapshots(database, tables)
            .take(
                "export " + tenant.label(),
                tenant,
                (session, beginning) ->
                    new StateExporter(tables, archive, folder, tenant)
                        .read(session, beginning, rows));
    copyArchive(tenant, state);
    ExportManifest manifest =
        new ExportManifest(
            ExportManifest.FORMAT, state.export(), state.tenant(), folder.files(), rows);
    folder.finish(manifest);
    return report(manifest, tenant.number(), manifest.tenant().name());
  }

  private void copyArchive(TenantRef tenant, StateExporter.State state)
      throws IOException, SQLException {
    if (!state.archived().isEmpty()) {
      if (archive == null) {
        throw new TransferException(
            tenant.label()
                + " has archived history; say where its archive is, so that it is exported too");
      }
      long archived =
          new ArchiveCopier(database, tables, archive, folder, tenant).copy(state.archived());
      rows.put("archived", archived);
    }
  }

  static TransferReport report(ExportManifest manifest, int number, String name) {
    return new TransferReport(
        name, number, manifest.rows(), manifest.files().size(), manifest.bytes());
  }
}
