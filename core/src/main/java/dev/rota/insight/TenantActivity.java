package dev.rota.insight;

import java.time.Instant;
import java.util.Optional;

/**
 * A tenant, and what it has to do. Numbers of tasks are estimates, as {@link Overview} says.
 * Immutable.
 *
 * @param number the number in the names of its tables
 * @param name the name for people
 * @param standing which tasks it takes, and whether it has tables
 * @param estimated its tasks that have not ended
 * @param flow how many of its tasks come and go; empty until it was read twice
 */
public record TenantActivity(
    int number,
    String name,
    Standing standing,
    Overview.Tasks estimated,
    Optional<Overview.Flow> flow) {

  /**
   * Which tasks a tenant takes, and whether it has tables.
   *
   * @param state which tasks it takes
   * @param rotatedAt when the ring of priority 0 was switched last; of a parked tenant empty
   */
  public record Standing(State state, Optional<Instant> rotatedAt) {}

  /** The states of a tenant. */
  public enum State {
    /** It has tables. */
    ACTIVE,
    /** It has no tables: since its registration, or since it became idle. */
    PARKED,
    /** It refuses new tasks. */
    CLOSED
  }
}
