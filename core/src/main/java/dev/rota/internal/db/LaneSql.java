package dev.rota.internal.db;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/** The statements about lanes as such: how they are registered, and how tasks change theirs. */
public final class LaneSql {

  private static final String COLUMNS =
      "id, created_at, parent_id, attempt, kind, payload, key, traits";

  /** Registers one more lane of a tenant, whose row is locked. */
  public static final Sql REGISTER =
      new Sql(
          "register lane",
          """
          update {tenants} set lane_priorities = array_append(lane_priorities, ?::smallint),
                 lane_slots = array_append(lane_slots, ?::smallint),
                 lane_rotated_at = array_append(lane_rotated_at, now())
           where number = ?""");

  /**
   * The statements that grant on one slot what was granted on another: who may write into the first
   * ring of a tenant may write into all of them.
   */
  public static final Sql GRANTS =
      new Sql(
          "look up grants",
          """
          select format('grant %s on %s to %s', a.privilege_type, ?::text,
                        coalesce(quote_ident(r.rolname), 'public'))
            from pg_class c
           cross join aclexplode(c.relacl) a
            left join pg_roles r on r.oid = a.grantee
           where c.oid = ?::text::regclass and a.grantee <> c.relowner""");

  /**
   * Moves tasks in a range of blocks from a slot of one lane into the current one of another. A row
   * that a claim deletes at the same time is left to it.
   */
  public static final Sql CHANGE_PENDING =
      new Sql(
          "change priority",
          """
          with moved as (
                 delete from {table} t
                  where
          """
              + RingSql.CHOSEN
              + " returning "
              + COLUMNS
              + ")\ninsert into {slot} ("
              + COLUMNS
              + ") select "
              + COLUMNS
              + " from moved where (select pg_stat_force_next_flush()) is not null");

  /**
   * Gives tasks in a range of blocks of the wait table another lane. Updated rows may move into a
   * later block, and are not changed again there.
   */
  public static final Sql CHANGE_WAITING =
      new Sql(
          "change priority",
          "update {table} t set lane = {lane} where t.lane is distinct from {lane} and\n"
              + RingSql.CHOSEN);

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
        .formatted(lane, Rendering.sql(slot), COLUMNS, mine);
  }
}
