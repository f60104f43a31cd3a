package dev.rota.insight;

import dev.rota.internal.text.Bounds;
import java.util.Objects;
import java.util.Optional;

/**
 * Which tenants to list, and in which order. Immutable; each method returns a changed copy.
 *
 * @param search a part of the name, in any case; empty for all
 * @param order what comes first
 * @param offset how many to skip
 * @param limit how many to list at most
 */
public record TenantQuery(Optional<String> search, Order order, int offset, int limit) {

  private static final int MOST = 10_000;

  /** What comes first. Tenants that are equal in it follow by name. */
  public enum Order {
    /** The first name. */
    NAME,
    /** The most pending tasks. */
    PENDING,
    /** The most waiting tasks. */
    WAITING,
    /** The most running tasks. */
    RUNNING,
    /** The most tasks that became pending a second. */
    ARRIVED,
    /** The most tasks that workers claimed a second. */
    CLAIMED
  }

  /**
   * Checks the bounds.
   *
   * @param search a part of the name
   * @param order what comes first
   * @param offset how many to skip
   * @param limit how many to list at most
   * @throws IllegalArgumentException if the offset is negative, or the limit not from 1 to 10,000
   */
  public TenantQuery {
    Objects.requireNonNull(search, "search");
    Objects.requireNonNull(order, "order");
    if (offset < 0) {
      throw new IllegalArgumentException("the offset is " + offset + "; use one from 0 on");
    }
    Bounds.check("limit", limit, MOST);
  }

  /**
   * The first fifty tenants, those with the most pending tasks first.
   *
   * @return the query
   */
  public static TenantQuery all() {
    return new TenantQuery(Optional.empty(), Order.PENDING, 0, 50);
  }

  /**
   * Searches by name.
   *
   * @param part a part of the name, in any case
   * @return the query
   */
  public TenantQuery containing(String part) {
    return new TenantQuery(Optional.of(part), order, offset, limit);
  }

  /**
   * Orders by something else.
   *
   * @param other what comes first
   * @return the query
   */
  public TenantQuery orderedBy(Order other) {
    return new TenantQuery(search, other, offset, limit);
  }

  /**
   * Lists another page.
   *
   * @param skipped how many to skip, from 0 on
   * @param most how many to list at most, from 1 to 10,000
   * @return the query
   * @throws IllegalArgumentException if a number is out of its bounds
   */
  public TenantQuery page(int skipped, int most) {
    return new TenantQuery(search, order, skipped, most);
  }
}
