package dev.rota.transfer.internal;

import dev.rota.archive.internal.DefaultArchive;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.transfer.TransferException;
import dev.rota.transfer.TransferReport;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Creates a tenant from an export in three repeatable steps. The first reserves a name and a
 * number, and records the archived files to put. The second puts them. The third fills all tables
 * in one transaction, which opens the tenant. Used once.
 */
final class Importer {

  private static final Sql FIND_IMPORT = Sql.named("find_import");

  private static final long DEFAULT_MEMORY = 256L << 20;
  private static final Duration LOCK_PATIENCE = Duration.ofSeconds(2);

  private final Database database;
  private final RegistryTables tables;
  private final @Nullable DefaultArchive archive;
  private final ExportFolder folder;
  private final FileObserver observer;

  Importer(
      Database database,
      RegistryTables tables,
      @Nullable DefaultArchive archive,
      Path folder,
      FileObserver observer) {
    this.database = database;
    this.tables = tables;
    this.archive = archive;
    this.folder = new ExportFolder(folder, observer);
    this.observer = observer;
  }

  /** A tenant that this export was imported into, or is being imported into. */
  private record Found(int number, boolean importing) {}

  TransferReport importAs(@Nullable String name) throws IOException, SQLException {
    ExportManifest manifest = folder.verified();
    String tenant = name == null ? manifest.tenant().name() : name;
    requireArchive(manifest);
    Found found = find(manifest, tenant).orElse(null);
    if (found == null) {
      new TaskIds(database, tables).skipTo(manifest.tenant().marks().lastTaskId());
      found = new Found(reserve(manifest, tenant), true);
    }
    if (found.importing()) {
      if (archive != null) {
        new ObjectPutter(database, tables, archive, folder, observer).put(manifest, found.number());
      }
      fill(manifest, found.number());
    }
    return Exporter.report(manifest, found.number(), tenant);
  }

  private void requireArchive(ExportManifest manifest) {
    if (archive == null && !manifest.filesIn(ExportFolder.ARCHIVE).isEmpty()) {
      throw new TransferException(
          "the export of tenant '"
              + manifest.tenant().name()
              + "' has archived history; say where the archive of this database is");
    }
  }

  private Optional<Found> find(ExportManifest manifest, String tenant) throws SQLException {
    return database
        .tryTransaction(
            "look for an import",
            session ->
                session.run(
                    BoundStatement.query(
                        FIND_IMPORT.call(),
                        FIND_IMPORT.on("tenants", tables.tenants()),
                        row -> new Found(row.getInt(1), row.getBoolean(2)),
                        tenant,
                        manifest.export())))
        .stream()
        .findFirst();
  }

  private int reserve(ExportManifest manifest, String tenant) throws SQLException {
    TenantMaker maker = new TenantMaker(tables, folder, workplace(manifest));
    return database
        .readings()
        .tryTransaction(
            "reserve tenant '" + tenant + "'", session -> maker.reserve(session, manifest, tenant));
  }

  private void fill(ExportManifest manifest, int number) throws SQLException {
    StateImporter loader = new StateImporter(tables, folder, manifest, workplace(manifest));
    String purpose = "import tenant '" + manifest.tenant().name() + "'";
    try {
      boolean unused =
          database
              .readings()
              .withLockTimeout(LOCK_PATIENCE)
              .tryTransaction(purpose, session -> loader.fill(session, number));
    } catch (SQLException e) {
      if (SqlErrors.isLockConflict(e)) {
        throw new TransferException(
            purpose + ": another process imports it, or holds locks on it; repeat it later", e);
      }
      throw e;
    }
  }

  private RowLoader.Workplace workplace(ExportManifest manifest) {
    Path within =
        archive == null ? Path.of(System.getProperty("java.io.tmpdir")) : archive.stagingFolder();
    long memory = archive == null ? DEFAULT_MEMORY : archive.memory();
    return new RowLoader.Workplace(within, "rota-import-" + manifest.export() + "-", memory);
  }
}
