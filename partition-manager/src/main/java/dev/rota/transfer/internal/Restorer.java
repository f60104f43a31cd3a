package dev.rota.transfer.internal;

import dev.rota.archive.internal.ArchiveSettings;
import dev.rota.archive.internal.SegmentFacts;
import dev.rota.archive.internal.SegmentKey;
import dev.rota.internal.Engine;
import dev.rota.internal.Texts;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TransferException;
import dev.rota.transfer.TransferReport;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Brings the history of a tenant back from its archive. Each file is noted in a transaction of its
 * own, so that a repeated call goes on. The newest come first, since with them nearly all ids of
 * the tenant are known. Used once.
 */
final class Restorer {

  static final String PREFIX = "rota-restore-";

  private final Engine engine;
  private final RestoreOptions options;
  private final RestoreRegister register;
  private final FetchedFiles files;
  private final RestoreSource source;
  private final String name;
  private final List<RestoreReport.Problem> problems = new ArrayList<>();
  private long attempts;
  private long bytes;
  private int restored;
  private int known;

  Restorer(Engine engine, ArchiveSettings archive, String name, RestoreOptions options) {
    this.engine = engine;
    this.options = options;
    this.name = name;
    this.register = new RestoreRegister(engine);
    this.files = new FetchedFiles(archive, PREFIX);
    this.source = new RestoreSource(archive, options, register, files, name);
  }

  RestoreReport restore() throws IOException, SQLException {
    Optional<RestoreRegister.Found> tenant = register.find(name);
    if (tenant.isPresent() && tenant.get().importing()) {
      throw new TransferException(
          "tenant '%s' is being imported; finish that, or erase it, before it is restored"
              .formatted(Texts.printable(name)));
    }
    List<SegmentKey> keys =
        source.find(tenant, key -> problem(key, "its name is none of Rota's; remove it"));
    int number = number(tenant, keys.get(0));
    for (SegmentKey key : keys) {
      restore(number, key);
    }
    engine.registry().refresh();
    return report(number);
  }

  /** The tenant's number here; in a dry run also that which it would get. */
  private int number(Optional<RestoreRegister.Found> tenant, SegmentKey newest)
      throws SQLException {
    if (options.dryRun()) {
      return tenant.map(RestoreRegister.Found::number).orElse(newest.tenant());
    }
    int number =
        tenant.isPresent()
            ? tenant.get().number()
            : register.register(name, newest.tenant(), newest.seq() + 1);
    register.openBehind(number, newest.seq());
    return number;
  }

  private void restore(int number, SegmentKey key) throws IOException, SQLException {
    try {
      Optional<RestoreRegister.Noted> noted = register.noted(number, key.seq());
      if (noted.isPresent()) {
        compare(noted.get(), key);
        known++;
      } else {
        RestoredFile file = files.read(key, this::isExpected);
        requireSame(register.segment(number, key.seq()), file.facts());
        note(number, key, file);
      }
    } catch (UnfitFileException e) {
      problem(key.text(), String.valueOf(e.getMessage()));
    }
  }

  private boolean isExpected(int tenant, SegmentKey key) {
    return tenant == key.tenant() || options.formerNumbers().contains(tenant);
  }

  /** What is being written, or deleted, is the archiver's. */
  private void compare(RestoreRegister.Noted noted, SegmentKey key)
      throws IOException, UnfitFileException {
    if (!noted.key().equals(key.text())) {
      throw new UnfitFileException(
          "segment %d is in the manifest by another file, %s; remove the one that is wrong"
              .formatted(key.seq(), noted.key()));
    }
    if (noted.kept() && !files.holds(key, noted.bytes(), noted.sha256())) {
      throw new UnfitFileException(
          "it is not what the manifest says, %d bytes with SHA-256 %s; put that back"
              .formatted(noted.bytes(), noted.sha256()));
    }
  }

  /** A segment in the database has the number: the archiver would write over another one's file. */
  private static void requireSame(Optional<RestoreRegister.Segment> segment, SegmentFacts facts)
      throws UnfitFileException {
    boolean same =
        segment.isEmpty()
            || facts
                .life()
                .filter(
                    life ->
                        life.openedAt() == segment.get().openedAt()
                            && life.sealedAt() == segment.get().sealedAt())
                .isPresent();
    if (!same) {
      throw new UnfitFileException(
          "segment "
              + facts.segment()
              + " is in this database with other attempts, and may be archived in the place of"
              + " the file; copy it if it is needed. A tenant is restored before it runs tasks");
    }
  }

  private void note(int number, SegmentKey key, RestoredFile file) throws SQLException {
    if (!options.dryRun()) {
      new TaskIds(engine).skipTo(file.lastId());
      if (!register.note(number, key, file)) {
        known++;
        return;
      }
    }
    restored++;
    attempts += file.facts().rows();
    bytes += file.bytes();
  }

  private void problem(String key, String reason) {
    problems.add(new RestoreReport.Problem(key, reason));
  }

  private RestoreReport report(int number) {
    Map<String, Long> rows = restored == 0 ? Map.of() : Map.of("archived", attempts);
    return new RestoreReport(
        new TransferReport(name, number, rows, restored, bytes), known, problems);
  }
}
