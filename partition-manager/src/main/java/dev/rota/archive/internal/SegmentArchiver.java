package dev.rota.archive.internal;

import dev.rota.archive.internal.parquet.Contents;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.archive.internal.parquet.SegmentFacts;
import dev.rota.archive.internal.parquet.Staging;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.retention.SegmentChecksum;
import dev.rota.daemon.internal.retention.SegmentId;
import dev.rota.history.ArchiveException;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.ErrorText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * Archives sealed segments, one in each step. A step reads the segment in parts, sorts it on disk,
 * puts the file, reads it back and compares, and records it. A crash at any point leaves at most an
 * unfinished row of the manifest, and everything is done again, under the same key. Used by one
 * thread.
 */
final class SegmentArchiver extends ArchiveTask<SegmentId> {

  private static final Logger log = Logs.of(SegmentArchiver.class);

  private final LeaderSession leader;
  private final TenantRegistry registry;
  private final OwnedStore store;
  private final ArchiverParts parts;
  private final SegmentFailures troubles;

  SegmentArchiver(
      LeaderSession leader, TenantRegistry registry, OwnedStore store, ArchiverParts parts) {
    super(
        leader,
        parts.pace(),
        Backoff.part(parts.archive().grace(), 10, Duration.ofMillis(100), Duration.ofSeconds(1)));
    this.leader = leader;
    this.registry = registry;
    this.store = store;
    this.parts = parts;
    this.troubles =
        new SegmentFailures(leader, registry, parts.manifest(), parts.counters(), "archive");
  }

  @Override
  public String name() {
    return "archive segments of history";
  }

  @Override
  List<SegmentId> look(Session session) throws SQLException {
    return parts.manifest().archivable(session, parts.archive().grace(), troubles.avoided());
  }

  @Override
  void act(SegmentId segment) throws SQLException {
    Optional<ArchiveManifest.Begun> begun =
        leader.transaction(name(), session -> parts.manifest().begin(session, segment));
    begun.ifPresent(
        object -> troubles.attempt(segment, object.key(), () -> archive(segment, object)));
  }

  private void archive(SegmentId segment, ArchiveManifest.Begun object)
      throws IOException, SQLException {
    store.take();
    TenantRef tenant = registry.get(segment.tenant());
    SegmentSource source =
        new SegmentSource(this::atOwnPace, registry.tables(), tenant, segment.seq());
    try (Staging staging = store.staging()) {
      long states = source.readInto(staging);
      long startedAt = System.nanoTime();
      Optional<String> lost = new ReplacedObject(store, segment, object).complete(staging);
      Contents contents = staging.contents();
      Path file = staging.file("segment.parquet");
      SegmentFacts facts =
          new SegmentFacts(
              segment.tenant(),
              tenant.state().name(),
              segment.seq(),
              contents.rows(),
              Optional.of(new SegmentFacts.Life(object.openedAt(), object.sealedAt(), states)));
      facts.write(staging, file);
      ArchiveManifest.Entry entry =
          new ArchiveManifest.Entry(
              segment,
              object.key(),
              Files.size(file),
              Digest.of(file),
              new SegmentChecksum.Sums(contents.rows(), contents.idSum(), states));
      parts.pace().restAfter(startedAt);
      if (isStillOurs(segment)) {
        store.store().put(object.key(), file);
        compare(staging, entry, contents);
        note(entry, ranges(staging), lost);
      }
    }
  }

  private <T> T atOwnPace(String purpose, TransactionBody<T> body) throws SQLException {
    long startedAt = System.nanoTime();
    T result = leader.lengthyTransaction(purpose, body);
    parts.pace().restAfter(startedAt);
    return result;
  }

  /**
   * Whether this archiver still owns the segment: not if the connection is lost, and with it the
   * lock, or another archiver was faster.
   */
  private boolean isStillOurs(SegmentId segment) throws SQLException {
    return leader.transaction(name(), session -> parts.manifest().isBegun(session, segment));
  }

  /**
   * Compares the object that the store returns with the staged rows; the sent file proves nothing.
   */
  private void compare(Staging staging, ArchiveManifest.Entry entry, Contents contents)
      throws IOException {
    Path back =
        store
            .read(entry.key(), staging.file("back.parquet"))
            .orElseThrow(
                () ->
                    new ArchiveException(
                        "it was missing after it had been put; is the key"
                            + " protected, or does a rule delete it?"));
    if (!Digest.of(back).equals(entry.sha256())
        || !staging.duck().contents(DuckDbFile.parquet(back)).equals(contents)) {
      throw new ArchiveException(
          "the object that was read back differs; it is put again later, and nothing is dropped"
              + " before it is right");
    }
  }

  private static ArchiveManifest.Ranges ranges(Staging staging) throws IOException {
    return new ArchiveManifest.Ranges(
        staging.range("id"), staging.range("created_at"), staging.range("claimed_at"));
  }

  private void note(
      ArchiveManifest.Entry entry, ArchiveManifest.Ranges ranges, Optional<String> lost)
      throws SQLException {
    int noted =
        leader.transaction(
            "note an archived segment",
            session -> parts.manifest().archived(session, entry, ranges, lost.map(ErrorText::cut)));
    lost.ifPresent(
        words ->
            log.warn(
                "segment {} of tenant {}: {}",
                entry.segment().seq(),
                entry.segment().tenant(),
                words));
    if (noted == 1) {
      parts.counters().segments.incrementAndGet();
      parts.counters().tasks.addAndGet(entry.sums().rows());
      parts.counters().bytes.addAndGet(entry.bytes());
    }
  }
}
