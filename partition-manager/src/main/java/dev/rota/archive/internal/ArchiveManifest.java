package dev.rota.archive.internal;

import dev.rota.archive.internal.parquet.Staging;
import dev.rota.daemon.internal.retention.SegmentChecksum;
import dev.rota.daemon.internal.retention.SegmentId;
import dev.rota.internal.db.Session;
import dev.rota.internal.maintenance.ClockGuard;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.math.BigInteger;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of the archive, one row for each object; each method runs one statement, those that
 * go by age read the clock before. A row is inserted before its object is put, and deleted after
 * it.
 */
final class ArchiveManifest {

  private static final Sql FIND_ARCHIVABLE_SEGMENTS = Sql.named("find_archivable_segments");
  private static final Sql BEGIN_ARCHIVING = Sql.named("begin_archiving");
  private static final Sql LOOK_WHETHER_IT_IS_STILL_TO_BE_ARCHIVED =
      Sql.named("look_whether_it_is_still_to_be_archived");
  private static final Sql NOTE_ARCHIVED_SEGMENT = Sql.named("note_archived_segment");
  private static final Sql FIND_ARCHIVED_SEGMENTS_TO_DROP =
      Sql.named("find_archived_segments_to_drop");
  private static final Sql LOOK_FOR_A_LEGAL_HOLD = Sql.named("look_for_a_legal_hold");
  private static final Sql ARCHIVE_AGAIN = Sql.named("archive_again");
  private static final Sql NOTE_TROUBLE_WITH_THE_ARCHIVE =
      Sql.named("note_trouble_with_the_archive");
  private static final Sql MARK_EXPIRED_ARCHIVE = Sql.named("mark_expired_archive");
  private static final Sql LIST_EXPIRED_ARCHIVE = Sql.named("list_expired_archive");
  private static final Sql LOOK_WHETHER_AN_OBJECT_MAY_BE_DELETED =
      Sql.named("look_whether_an_object_may_be_deleted");
  private static final Sql FORGET_ARCHIVED_SEGMENT = Sql.named("forget_archived_segment");
  private static final Sql NOTE_RECOVERY_OF_THE_ARCHIVE = Sql.named("note_recovery_of_the_archive");
  private static final Sql LIST_ERASED_TENANTS = Sql.named("list_erased_tenants");
  private static final Sql NOTE_TROUBLE_AFTER_AN_ERASURE =
      Sql.named("note_trouble_after_an_erasure");

  private final RegistryCalls calls;
  private final ClockGuard clock;

  /**
   * An object that is going to be written.
   *
   * @param key its key
   * @param again whether an object may exist already
   * @param openedAt the time at which its segment was opened, in microseconds since 1970
   * @param sealedAt the time at which its segment was sealed
   * @param sha256 the digest of the object that was archived before, if there was one
   */
  record Begun(String key, boolean again, long openedAt, long sealedAt, Optional<String> sha256) {}

  /**
   * An object.
   *
   * @param segment its segment
   * @param key its key
   * @param bytes its size
   * @param sha256 its digest
   * @param sums the sums of its rows
   */
  record Entry(
      SegmentId segment, String key, long bytes, String sha256, SegmentChecksum.Sums sums) {}

  /** An erased tenant, with the time since its erasure. */
  record Erased(int tenant, Duration since) {}

  /** The ranges of an object's rows, so that readers can skip objects that they do not need. */
  record Ranges(Staging.Range ids, Staging.Range created, Staging.Range claimed) {}

  ArchiveManifest(RegistryTables rota, ClockGuard clock) {
    this.calls = new RegistryCalls(rota);
    this.clock = clock;
  }

  List<SegmentId> archivable(Session session, Duration grace, Collection<SegmentId> avoided)
      throws SQLException {
    return session.run(
        calls.query(
            FIND_ARCHIVABLE_SEGMENTS,
            row -> new SegmentId(row.getInt(1), row.getInt(2)),
            grace.toMillis(),
            SegmentId.tenants(avoided),
            SegmentId.seqs(avoided)));
  }

  /** Begins an object; empty if the segment is gone, or an older object of it is being deleted. */
  Optional<Begun> begin(Session session, SegmentId segment) throws SQLException {
    return session
        .run(
            calls.query(
                BEGIN_ARCHIVING,
                row ->
                    new Begun(
                        row.getString(1),
                        row.getBoolean(2),
                        row.getLong(3),
                        row.getLong(4),
                        Optional.ofNullable(row.getString(5))),
                segment.tenant(),
                segment.seq()))
        .stream()
        .findFirst();
  }

  /** Whether the object is still unfinished; another archiver may have finished it. */
  boolean isBegun(Session session, SegmentId segment) throws SQLException {
    return finds(session, LOOK_WHETHER_IT_IS_STILL_TO_BE_ARCHIVED, segment.tenant(), segment.seq());
  }

  /** Finishes an object, and records a problem that did not prevent it. */
  int archived(Session session, Entry entry, Ranges ranges, Optional<String> trouble)
      throws SQLException {
    return update(
        session,
        NOTE_ARCHIVED_SEGMENT,
        entry.bytes(),
        entry.sums().rows(),
        entry.sums().ids().toString(),
        entry.sums().states(),
        entry.sha256(),
        ranges.ids().from(),
        ranges.ids().to(),
        ranges.created().from(),
        ranges.created().to(),
        ranges.claimed().from(),
        ranges.claimed().to(),
        trouble.orElse(null),
        entry.segment().tenant(),
        entry.segment().seq());
  }

  List<Entry> droppable(Session session, Duration keep, Collection<SegmentId> avoided)
      throws SQLException {
    return session.run(
        calls.query(
            FIND_ARCHIVED_SEGMENTS_TO_DROP,
            row ->
                new Entry(
                    new SegmentId(row.getInt(1), row.getInt(2)),
                    row.getString(3),
                    row.getLong(4),
                    row.getString(5),
                    new SegmentChecksum.Sums(
                        row.getLong(6), new BigInteger(row.getString(7)), row.getLong(8))),
            keep.toMillis(),
            clock.trustedFor(session).toMillis(),
            SegmentId.tenants(avoided),
            SegmentId.seqs(avoided)));
  }

  /** Locks the entry; false if it has changed, or must be kept. */
  boolean mayBeDropped(Session session, Entry entry) throws SQLException {
    return finds(
        session,
        LOOK_FOR_A_LEGAL_HOLD,
        entry.segment().tenant(),
        entry.segment().seq(),
        entry.sha256());
  }

  int reopen(Session session, SegmentId segment) throws SQLException {
    return update(session, ARCHIVE_AGAIN, segment.tenant(), segment.seq());
  }

  int trouble(Session session, SegmentId segment, String reason) throws SQLException {
    return update(
        session, NOTE_TROUBLE_WITH_THE_ARCHIVE, reason, segment.tenant(), segment.seq(), reason);
  }

  int recovered(Session session, SegmentId segment) throws SQLException {
    return update(session, NOTE_RECOVERY_OF_THE_ARCHIVE, segment.tenant(), segment.seq());
  }

  int expire(Session session, Duration keep) throws SQLException {
    long trusted = clock.trustedFor(session).toMillis();
    return update(session, MARK_EXPIRED_ARCHIVE, keep.toMillis(), trusted);
  }

  /** Finds objects to delete; only their keys are known. */
  List<Map.Entry<SegmentId, String>> expired(Session session, Collection<SegmentId> avoided)
      throws SQLException {
    return session.run(
        calls.query(
            LIST_EXPIRED_ARCHIVE,
            row -> Map.entry(new SegmentId(row.getInt(1), row.getInt(2)), row.getString(3)),
            SegmentId.tenants(avoided),
            SegmentId.seqs(avoided)));
  }

  /** Whether a listed object is still to be deleted; a legal hold may have come meanwhile. */
  boolean mayBeDeleted(Session session, SegmentId segment) throws SQLException {
    return finds(session, LOOK_WHETHER_AN_OBJECT_MAY_BE_DELETED, segment.tenant(), segment.seq());
  }

  int forget(Session session, SegmentId segment) throws SQLException {
    return update(session, FORGET_ARCHIVED_SEGMENT, segment.tenant(), segment.seq());
  }

  /** Finds tenants that were erased recently. */
  List<Erased> erased(Session session) throws SQLException {
    return session.run(
        calls.query(
            LIST_ERASED_TENANTS,
            row -> new Erased(row.getInt(1), Duration.ofSeconds(row.getLong(2)))));
  }

  int troubleAfterErasure(Session session, int tenant, @Nullable String reason)
      throws SQLException {
    return update(session, NOTE_TROUBLE_AFTER_AN_ERASURE, reason, tenant, reason);
  }

  private boolean finds(Session session, Sql look, @Nullable Object... binds) throws SQLException {
    return !session.run(calls.query(look, row -> true, binds)).isEmpty();
  }

  private int update(Session session, Sql statement, @Nullable Object... binds)
      throws SQLException {
    return session.run(calls.update(statement, binds));
  }
}
