package dev.rota.transfer.internal;

import dev.rota.TenantExistsException;
import dev.rota.archive.internal.DefaultArchive;
import dev.rota.archive.internal.store.SegmentKey;
import dev.rota.internal.db.Database;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.transfer.RestoreAllReport;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * Restores the history of tenants from their archive. It runs all checks first and changes nothing
 * before. Used once.
 */
final class Restorer {

  /** The prefix of the names of temporary files. */
  static final String PREFIX = "rota-restore-";

  private final Database database;
  private final TenantRegistry registry;
  private final RestoreOptions options;
  private final FetchedFiles files;
  private final ArchivedTenants archived;
  private final RestorePlanner planner;
  private final ArchiveOwnership ownership;
  private final RestoredTenant tenant;

  Restorer(
      Database database, TenantRegistry registry, DefaultArchive archive, RestoreOptions options) {
    this.database = database;
    this.registry = registry;
    this.options = options;
    this.files = new FetchedFiles(archive, PREFIX);
    TenantLookup lookup = new TenantLookup(database, registry.tables());
    this.archived = new ArchivedTenants(archive.store(), files);
    this.planner = new RestorePlanner(lookup, archived);
    this.ownership = new ArchiveOwnership(database, registry.tables(), lookup, archived, archive);
    this.tenant = new RestoredTenant(database, registry, lookup, ownership);
  }

  RestoreReport restore(String name) throws IOException, SQLException {
    RestorePlan plan = planner.plan(name, options.number());
    return restore(
        plan, ownership.plan(() -> Map.of(plan.archivedNumber(), name), options.takeOver()));
  }

  /** Restores all tenants. The archive is taken over once, with the numbers of all. */
  RestoreAllReport restoreAll() throws IOException, SQLException {
    NavigableSet<Integer> numbers = archived.numbers();
    if (numbers.isEmpty()) {
      throw new TransferException(
          "the archive's " + archived.store() + " has no files of any tenant; check the place");
    }
    Optional<ArchiveOwnership.TakeOver> takeOver =
        ownership.plan(archived::names, options.takeOver());
    if (takeOver.isPresent() && !options.isDryRun()) {
      ownership.take(takeOver.get());
    }
    List<RestoreReport> tenants = new ArrayList<>();
    List<RestoreReport.Problem> problems = new ArrayList<>();
    for (int number : numbers) {
      try {
        tenants.add(restore(planner.plan(number), Optional.empty()));
      } catch (TransferException | TenantExistsException e) {
        String reason = String.valueOf(e.getMessage());
        problems.add(new RestoreReport.Problem(SegmentKey.prefix(number), reason));
      }
    }
    return new RestoreAllReport(tenants, problems);
  }

  private RestoreReport restore(RestorePlan plan, Optional<ArchiveOwnership.TakeOver> takeOver)
      throws IOException, SQLException {
    if (!options.isDryRun()) {
      tenant.prepare(plan, takeOver);
    }
    RestoreReport report =
        new FileRestorer(database, registry.tables(), files, options, plan).restore();
    registry.refresh();
    return report;
  }
}
