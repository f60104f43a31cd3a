package dev.rota.internal.tenant;

import static org.jooq.impl.DSL.noCondition;

import dev.rota.history.ArchivedSegment;
import dev.rota.internal.schema.HistoryColumns;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;

/**
 * Where some of a tenant's history stands.
 *
 * @param kind which sort of place it is
 * @param segments the numbers of its segments when it was looked up
 * @param archived the one segment of a file of the archive; empty otherwise
 */
public record HistoryPlace(Kind kind, List<Integer> segments, Optional<ArchivedSegment> archived) {

  enum Kind {
    /** One segment in the database. */
    SEGMENT,
    /** All of them, with those that are opened meanwhile. */
    DATABASE,
    /** A file. */
    ARCHIVE
  }

  static HistoryPlace segment(int seq) {
    return new HistoryPlace(Kind.SEGMENT, List.of(seq), Optional.empty());
  }

  static HistoryPlace database(List<Integer> segments) {
    return new HistoryPlace(Kind.DATABASE, segments, Optional.empty());
  }

  static HistoryPlace archive(ArchivedSegment segment) {
    return new HistoryPlace(Kind.ARCHIVE, List.of(segment.seq()), Optional.of(segment));
  }

  /** What its rows have in common within the view of the tenant's history. */
  public Condition condition() {
    return kind == Kind.SEGMENT ? HistoryColumns.SEGMENT.in(segments) : noCondition();
  }
}
