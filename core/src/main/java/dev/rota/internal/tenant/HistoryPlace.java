package dev.rota.internal.tenant;

import static org.jooq.impl.DSL.noCondition;

import dev.rota.history.ArchivedSegment;
import dev.rota.internal.schema.HistoryColumns;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;

/**
 * One place that holds a part of a tenant's history.
 *
 * @param kind the kind of place
 * @param segments the numbers of its segments when it was looked up
 * @param archived the one segment of a file of the archive; empty otherwise
 */
public record HistoryPlace(Kind kind, List<Integer> segments, Optional<ArchivedSegment> archived) {

  enum Kind {
    /** One segment in the database. */
    SEGMENT,
    /** All segments in the database, including those opened meanwhile. */
    DATABASE,
    /** An archived file. */
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

  /** The condition that its rows meet within the view of the tenant's history. */
  public Condition condition() {
    return kind == Kind.SEGMENT ? HistoryColumns.SEGMENT.in(segments) : noCondition();
  }
}
