package dev.rota.audit;

import java.util.Objects;
import java.util.Optional;

/**
 * Which actions to list. Immutable; each method returns a changed copy.
 *
 * @param tenant only those that concern the tenant of this name; empty for all
 * @param before only those with lower numbers than this
 * @param limit how many at most
 */
public record AuditQuery(Optional<String> tenant, long before, int limit) {

  private static final int MOST = 1_000;

  /**
   * Checks the bounds.
   *
   * @param tenant the name of a tenant
   * @param before the first number that is not listed
   * @param limit how many at most
   * @throws IllegalArgumentException if the limit is not from 1 to 1,000
   */
  public AuditQuery {
    Objects.requireNonNull(tenant, "tenant");
    if (limit < 1 || limit > MOST) {
      throw new IllegalArgumentException(
          "the limit is %d; use one from 1 to %,d".formatted(limit, MOST));
    }
  }

  /**
   * The newest fifty actions.
   *
   * @return the query
   */
  public static AuditQuery newest() {
    return new AuditQuery(Optional.empty(), Long.MAX_VALUE, 50);
  }

  /**
   * Lists those that concern one tenant.
   *
   * @param name its name
   * @return the query
   */
  public AuditQuery tenant(String name) {
    return new AuditQuery(Optional.of(name), before, limit);
  }

  /**
   * Lists those before one.
   *
   * @param id the number of an action
   * @return the query
   */
  public AuditQuery before(long id) {
    return new AuditQuery(tenant, id, limit);
  }

  /**
   * Lists another number.
   *
   * @param most how many at most, from 1 to 1,000
   * @return the query
   * @throws IllegalArgumentException if the number is out of its bounds
   */
  public AuditQuery limit(int most) {
    return new AuditQuery(tenant, before, most);
  }
}
