package dev.rota.history.internal;

import dev.rota.history.RecentAttempts.Looked;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.db.Session;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.SafeText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.Name;

/**
 * The segments of a tenant that are in the database, with their sizes as of one moment. Immutable.
 *
 * @param segments the segments, the newest first
 */
record RecentSegments(List<Segment> segments) {

  private static final Sql MEASURE_SEGMENTS = Sql.named("measure_segments");

  /** The file of a table that was dropped meanwhile, or that a restore has not made yet. */
  private static final long GONE = 0;

  /**
   * A segment.
   *
   * @param file the number of its file
   * @param blocks how many blocks it has
   * @param rows how many rows it has
   */
  record Segment(int seq, Name table, long file, long blocks, Rows rows) {

    private double lookedFrom(RowId place) {
      return blocks == 0 ? 0 : rows.all * (1 - Math.min(1, (double) place.block() / blocks));
    }
  }

  /**
   * Numbers of rows of a segment.
   *
   * @param all how many there are, as the server estimates
   * @param exceptions how many of them ended in another way than done, as of the seal; negative if
   *     there is no index on them
   */
  record Rows(long all, long exceptions) {}

  /**
   * A place in history, before which a look continues.
   *
   * @param file the number of the segment's file, which changes when rows move
   */
  record RecentCursor(int seq, long file, RowId place) {

    private static final Pattern FORM =
        Pattern.compile("b(\\d{1,9})_(\\d{1,12})_(\\d{1,10})_(\\d{1,5})");

    /** Parses a cursor; empty if it has another form. */
    static Optional<RecentCursor> parse(String text) {
      Matcher parts = FORM.matcher(text);
      return parts.matches()
          ? Optional.of(
              new RecentCursor(
                  Integer.parseInt(parts.group(1)),
                  Long.parseLong(parts.group(2)),
                  new RowId(Long.parseLong(parts.group(3)), Integer.parseInt(parts.group(4)))))
          : Optional.empty();
    }

    @Override
    public String toString() {
      return "b" + seq + "_" + file + "_" + place.block() + "_" + place.offset();
    }
  }

  static RecentSegments measure(Session session, TenantRef tenant, List<Integer> numbers)
      throws SQLException {
    List<Name> tables = numbers.stream().map(tenant.tables()::segment).toList();
    Iterator<Integer> seqs = numbers.iterator();
    List<Segment> measured =
        session.run(
            BoundStatement.query(
                MEASURE_SEGMENTS,
                row -> segment(row, tenant, seqs.next()),
                (Object) tables.stream().map(Sql::render).toArray(String[]::new)));
    return new RecentSegments(measured.stream().filter(each -> each.file != GONE).toList());
  }

  private static Segment segment(ResultSet row, TenantRef tenant, int seq) throws SQLException {
    return new Segment(
        seq,
        tenant.tables().segment(seq),
        row.getLong(1),
        row.getLong(2),
        new Rows(row.getLong(3), row.getLong(4)));
  }

  /** The segments in which a look continues. */
  List<Segment> from(Optional<RecentCursor> cursor) {
    return segments.stream()
        .filter(segment -> cursor.isEmpty() || segment.seq <= cursor.get().seq)
        .toList();
  }

  /**
   * The place before which a look continues in a segment.
   *
   * @throws IllegalArgumentException if the place means nothing any more
   */
  static RowId end(Segment segment, Optional<RecentCursor> cursor) {
    if (cursor.isEmpty() || cursor.get().seq != segment.seq) {
      return RowId.startOf(segment.blocks);
    }
    if (cursor.get().file != segment.file) {
      throw new IllegalArgumentException(
          "cursor '"
              + SafeText.of(cursor.get().toString())
              + "' is of a segment that was rewritten since; begin without a cursor");
    }
    return cursor.get().place;
  }

  /** How far looks went that stopped before a place. */
  Looked looked(Segment last, RowId place, Optional<Instant> backTo) {
    double looked = last.lookedFrom(place);
    for (Segment segment : segments) {
      looked += segment.seq > last.seq ? segment.rows.all : 0;
    }
    return new Looked(Math.round(looked), all(), backTo);
  }

  /** How far looks went that came to the beginning. */
  Looked lookedAtAll() {
    return new Looked(all(), all(), Optional.empty());
  }

  private long all() {
    return segments.stream().mapToLong(segment -> segment.rows.all).sum();
  }
}
