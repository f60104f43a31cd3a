package dev.rota.internal.tenant;

import dev.rota.internal.sql.Sql;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/**
 * Makes the parts of statements that put tasks into the rings of their lanes. They follow a part of
 * a WITH clause named {@code moved}, which has the columns of a ring and the lane. Lane 0 takes the
 * tasks of no lane, and those of a lane that this process does not know yet, which costs order
 * only.
 */
public final class LaneSql {

  private static final String COLUMNS =
      "id, created_at, parent_id, attempt, kind, payload, key, traits";

  /** Workers find work by the counters of tables: makes the insertions count at the commit. */
  private static final String REPORTING =
      " where (select pg_stat_force_next_flush()::text) is not null";

  private LaneSql() {}

  /**
   * The rest of a statement that ends with the insertions and tells how many tasks it moved. One
   * ring is filled by the statement itself, which costs no further scan of {@code moved}.
   *
   * @param slots the current slot of each lane
   */
  public static QueryPart intoRings(List<Name> slots) {
    return DSL.sql(
        slots.size() == 1
            ? "\n" + insertion(slots.get(0), "\n", "\n  ") + REPORTING
            : intoEach(slots) + "\nselect count(*) from moved" + REPORTING);
  }

  /**
   * An insertion into each slot, as further parts of the WITH clause.
   *
   * @param slots the current slot of each lane
   */
  public static QueryPart insertions(List<Name> slots) {
    return DSL.sql(intoEach(slots));
  }

  private static String intoEach(List<Name> slots) {
    return IntStream.range(0, slots.size())
        .mapToObj(lane -> into(slots.get(lane), lane, slots.size()))
        .collect(Collectors.joining(",\n", ",\n", ""));
  }

  private static String into(Name slot, int lane, int lanes) {
    String mine =
        lane == 0 ? "coalesce(lane, 0) not between 1 and " + (lanes - 1) : "lane = " + lane;
    return "into_%d as (%s where %s)".formatted(lane, insertion(slot, " ", " "), mine);
  }

  private static String insertion(Name slot, String beforeSelect, String beforeFrom) {
    return "insert into %1$s (%2$s)%3$sselect %2$s%4$sfrom moved"
        .formatted(Sql.render(slot), COLUMNS, beforeSelect, beforeFrom);
  }
}
