package dev.rota.internal.tenant;

import dev.rota.internal.sql.SqlNames;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/** Makes the parts of statements that put tasks into the rings of their lanes. */
public final class LaneSql {

  private static final String COLUMNS =
      "id, created_at, parent_id, attempt, kind, payload, key, traits";

  private LaneSql() {}

  /**
   * An insertion into the current slot of each lane, as further parts of a WITH clause behind one
   * named {@code moved}, which has the columns of a ring and the lane. Lane 0 takes what is of
   * none.
   */
  public static QueryPart insertions(List<Name> slots) {
    return DSL.sql(
        IntStream.range(0, slots.size())
            .mapToObj(lane -> insertion(slots.get(lane), lane, slots.size()))
            .collect(Collectors.joining(",\n", ",\n", "")));
  }

  private static String insertion(Name slot, int lane, int lanes) {
    String mine =
        lane == 0 ? "coalesce(lane, 0) not between 1 and " + (lanes - 1) : "lane = " + lane;
    return "into_%1$d as (insert into %2$s (%3$s) select %3$s from moved where %4$s)"
        .formatted(lane, SqlNames.sql(slot), COLUMNS, mine);
  }
}
