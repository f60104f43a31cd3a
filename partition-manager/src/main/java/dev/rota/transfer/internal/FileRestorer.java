package dev.rota.transfer.internal;

import dev.rota.archive.internal.parquet.SegmentFacts;
import dev.rota.archive.internal.store.SegmentKey;
import dev.rota.internal.db.Database;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TransferReport;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Records the files of one tenant again, each in a separate transaction, so that a repeated call
 * continues. The newest come first, since with them nearly all ids of the tenant are known. Used
 * once.
 */
final class FileRestorer {

  private final TaskIds taskIds;
  private final FetchedFiles files;
  private final RestoreOptions options;
  private final RestorePlan plan;
  private final RestoredManifest manifest;
  private final List<RestoreReport.Problem> problems = new ArrayList<>();
  private long attempts;
  private long bytes;
  private int restored;
  private int known;

  FileRestorer(
      Database database,
      RegistryTables tables,
      FetchedFiles files,
      RestoreOptions options,
      RestorePlan plan) {
    this.taskIds = new TaskIds(database, tables);
    this.files = files;
    this.options = options;
    this.plan = plan;
    this.manifest = new RestoredManifest(database, tables, plan.number());
  }

  RestoreReport restore() throws IOException, SQLException {
    for (String strange : plan.files().strange()) {
      problem(strange, "its name is none of Rota's; remove it");
    }
    for (SegmentKey key : plan.keys()) {
      try {
        restore(key);
      } catch (UnfitFileException e) {
        problem(key.text(), String.valueOf(e.getMessage()));
      }
    }
    Map<String, Long> rows = restored == 0 ? Map.of() : Map.of("archived", attempts);
    return new RestoreReport(
        new TransferReport(plan.name(), plan.number(), rows, restored, bytes), known, problems);
  }

  private void problem(String key, String reason) {
    problems.add(new RestoreReport.Problem(key, reason));
  }

  private void restore(SegmentKey key) throws IOException, SQLException, UnfitFileException {
    Optional<RestoredManifest.Noted> noted = manifest.noted(key.seq());
    if (noted.isPresent()) {
      compare(noted.get(), key);
      known++;
    } else {
      RestoredFile file = files.read(key, this::isExpected);
      requireSame(manifest.segment(key.seq()), file.facts());
      note(key, file);
    }
  }

  private boolean isExpected(int tenant) {
    return tenant == plan.archivedNumber() || options.formerNumbers().contains(tenant);
  }

  /** Compares a file with the manifest. Unfinished or expired objects belong to the archiver. */
  private void compare(RestoredManifest.Noted noted, SegmentKey key)
      throws IOException, UnfitFileException {
    if (!noted.key().equals(key.text())) {
      throw new UnfitFileException(
          "segment %d is in the manifest by another file, %s; remove the one that is wrong"
              .formatted(key.seq(), noted.key()));
    }
    if (noted.kept() && !files.holds(key, noted.bytes(), String.valueOf(noted.sha256()))) {
      throw new UnfitFileException(
          "it differs from the manifest, which has %d bytes with SHA-256 %s; put that file back"
              .formatted(noted.bytes(), noted.sha256()));
    }
  }

  /**
   * Refuses a file whose number a different segment of the database has: the archiver would
   * overwrite the file.
   */
  private static void requireSame(Optional<RestoredManifest.Segment> segment, SegmentFacts facts)
      throws UnfitFileException {
    if (segment.isPresent() && !segment.get().isIn(facts)) {
      throw new UnfitFileException(
          "segment "
              + facts.segment()
              + " is in this database with other attempts, and may be archived in the place of"
              + " the file; copy it if it is needed. A tenant is restored before it runs tasks");
    }
  }

  private void note(SegmentKey key, RestoredFile file) throws SQLException {
    if (!options.isDryRun()) {
      taskIds.skipTo(file.lastId());
      if (!manifest.note(key, file)) {
        known++;
        return;
      }
    }
    restored++;
    attempts += file.facts().rows();
    bytes += file.bytes();
  }
}
