package dev.rota.history.internal;

import dev.rota.Attempt;
import dev.rota.history.ArchiveUse;
import dev.rota.history.ArchivedSegment;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.history.RecentAttempts;
import dev.rota.history.internal.HistoryScan.Sources;
import dev.rota.history.internal.RecentSegments.RecentCursor;
import dev.rota.history.internal.RecentSegments.Segment;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.tenant.SegmentCatalog;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks for attempts in the blocks of segments, from the last one backwards. It begins with a few
 * blocks, and takes more at a time as long as it finds little. Used by one thread.
 */
final class RecentReader {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final long FIRST_BLOCKS = 8;
  private static final long MOST_BLOCKS = 4_096;
  private static final int GROWTH = 4;
  private static final int MOST_TRIES = 5;
  private static final ArchiveUse NO_ARCHIVE = new ArchiveUse(List.of(), List.of());
  private static final RowId BEGINNING = RowId.startOf(0);

  private final Sources sources;
  private final TenantRef tenant;
  private final SegmentCatalog catalog;

  RecentReader(Sources sources, TenantRef tenant) {
    this.sources = sources;
    this.tenant = tenant;
    this.catalog = new SegmentCatalog(sources.tables(), tenant.number());
  }

  RecentAttempts read(HistoryFilter filter, Duration budget) {
    if (budget.compareTo(SHORTEST) < 0 || budget.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "the budget is " + budget + "; use one from a millisecond to a minute");
    }
    Optional<RecentCursor> cursor = filter.cursor().flatMap(RecentCursor::parse);
    return filter.cursor().isPresent() && cursor.isEmpty()
        ? archived(filter)
        : inDatabase(filter, cursor, budget);
  }

  /** Continues in the archive, whose cursors are those of pages. */
  private RecentAttempts archived(HistoryFilter filter) {
    HistoryPage page = new HistoryReader(sources, tenant).pageOfOneFile(filter);
    RecentSegments present = transaction(this::segments);
    return new RecentAttempts(
        page.attempts(), page.nextCursor(), present.lookedAtAll(), page.archive());
  }

  private RecentAttempts inDatabase(
      HistoryFilter filter, Optional<RecentCursor> cursor, Duration budget) {
    long deadline = System.nanoTime() + budget.toNanos();
    return transaction(
        session -> new Look(session, filter, deadline, segments(session)).from(cursor));
  }

  /** Reads in one transaction, and again if a segment was dropped before it was locked. */
  private <T> T transaction(TransactionBody<T> body) {
    String purpose = "read the newest history of " + tenant.label();
    for (int tries = 1; ; tries++) {
      try {
        return sources.database().readings().tryTransaction(purpose, body);
      } catch (SQLException e) {
        if (!SqlErrors.isMissingTable(e) || tries == MOST_TRIES) {
          throw SqlErrors.translate(purpose, e);
        }
      }
    }
  }

  private RecentSegments segments(Session session) throws SQLException {
    List<Integer> present = catalog.inDatabase(session.dsl(), Integer.MAX_VALUE);
    return RecentSegments.measure(session, tenant, present);
  }

  /** One look, within a transaction. */
  private final class Look {

    private final Session session;
    private final HistoryFilter filter;
    private final long deadline;
    private final RecentSegments segments;
    private final RecentRows rows;
    private final List<Attempt> found = new ArrayList<>();

    Look(Session session, HistoryFilter filter, long deadline, RecentSegments segments)
        throws SQLException {
      this.session = session;
      this.filter = filter;
      this.deadline = deadline;
      this.segments = segments;
      this.rows = new RecentRows(session, sources.tables(), tenant, filter);
    }

    RecentAttempts from(Optional<RecentCursor> cursor) throws SQLException {
      for (Segment segment : segments.from(cursor)) {
        RowId stop = look(segment, RecentSegments.end(segment, cursor));
        if (isOver() || !stop.equals(BEGINNING)) {
          return stopped(segment, stop);
        }
      }
      return ended();
    }

    private boolean isOver() {
      return found.size() >= filter.limit() || System.nanoTime() >= deadline;
    }

    /** Looks in one segment before a place; returns where it stopped. */
    private RowId look(Segment segment, RowId end) throws SQLException {
      RowId behind = end;
      long blocks = FIRST_BLOCKS;
      boolean mayGoOn = true;
      while (mayGoOn && !behind.equals(BEGINNING)) {
        long beganAt = System.nanoTime();
        RowId from = rows.hasFewExceptions(segment) ? BEGINNING : before(behind, blocks);
        RecentRows.Found some = rows.read(segment, from, behind, filter.limit() - found.size());
        found.addAll(some.attempts());
        behind = some.last().orElse(from);
        blocks = next(blocks, System.nanoTime() - beganAt);
        mayGoOn = !isOver();
      }
      return behind;
    }

    /** How many blocks to read after some that took a time: more, if the budget allows. */
    private long next(long blocks, long tookNanos) {
      long left = deadline - System.nanoTime();
      long fitting = (long) ((double) blocks * left / Math.max(1, tookNanos));
      long most = Math.min(MOST_BLOCKS, blocks * GROWTH);
      return Math.max(FIRST_BLOCKS, Math.min(most, fitting));
    }

    private RowId before(RowId end, long blocks) {
      long behind = end.offset() > 0 ? end.block() + 1 : end.block();
      return RowId.startOf(Math.max(0, behind - blocks));
    }

    private RecentAttempts stopped(Segment segment, RowId place) throws SQLException {
      String cursor = new RecentCursor(segment.seq(), segment.file(), place).toString();
      return new RecentAttempts(
          found,
          Optional.of(cursor),
          segments.looked(segment, place, rows.age(segment, place)),
          NO_ARCHIVE);
    }

    /** All segments in the database were looked at: archived ones follow. */
    private RecentAttempts ended() throws SQLException {
      List<ArchivedSegment> files =
          catalog.places(session.dsl(), filter, Integer.MAX_VALUE).stream()
              .flatMap(place -> place.archived().stream())
              .toList();
      boolean goesOn = sources.archive().isPresent() && !files.isEmpty();
      return new RecentAttempts(
          found,
          goesOn ? Optional.of(HistoryReader.beginOf(files.get(0).seq())) : Optional.empty(),
          segments.lookedAtAll(),
          goesOn || files.isEmpty()
              ? NO_ARCHIVE
              : new ArchiveUse(List.of(), files.stream().map(ArchivedSegment::key).toList()));
    }
  }
}
