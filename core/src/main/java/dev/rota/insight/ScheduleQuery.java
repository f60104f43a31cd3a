package dev.rota.insight;

import dev.rota.internal.text.Bounds;
import java.util.Objects;
import java.util.Optional;

/**
 * Which schedules to list. Immutable; each method returns a changed copy.
 *
 * @param search a part of the name of the schedule or of its tenant, in any case; empty for all
 * @param after only those behind this one in the order; empty from the first on
 * @param limit how many at most
 */
public record ScheduleQuery(Optional<String> search, Optional<Position> after, int limit) {

  private static final int MOST = 1_000;

  /**
   * A place in the order by tenant and name.
   *
   * @param tenant the name of a tenant
   * @param name the name of its schedule
   */
  public record Position(String tenant, String name) {}

  /**
   * Checks the bounds.
   *
   * @param search a part of a name
   * @param after a place in the order
   * @param limit how many at most
   * @throws IllegalArgumentException if the limit is not from 1 to 1,000
   */
  public ScheduleQuery {
    Objects.requireNonNull(search, "search");
    Objects.requireNonNull(after, "after");
    Bounds.check("limit", limit, MOST);
  }

  /**
   * The first fifty schedules.
   *
   * @return the query
   */
  public static ScheduleQuery all() {
    return new ScheduleQuery(Optional.empty(), Optional.empty(), 50);
  }

  /**
   * Searches by name.
   *
   * @param part a part of the name of the schedule or of its tenant
   * @return the query
   */
  public ScheduleQuery containing(String part) {
    return new ScheduleQuery(Optional.of(part), after, limit);
  }

  /**
   * Lists those behind the last one of a page.
   *
   * @param last the last entry of the page before
   * @return the query
   */
  public ScheduleQuery after(ScheduleEntry last) {
    Position place = new Position(last.tenant(), last.schedule().schedule().name());
    return new ScheduleQuery(search, Optional.of(place), limit);
  }

  /**
   * Lists another number.
   *
   * @param most how many at most, from 1 to 1,000
   * @return the query
   * @throws IllegalArgumentException if the number is out of its bounds
   */
  public ScheduleQuery limit(int most) {
    return new ScheduleQuery(search, after, most);
  }
}
