package dev.rota.insight;

import dev.rota.internal.text.Bounds;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Which errors to list. Immutable; each method returns a changed copy.
 *
 * @param from hours that end after this time; by the clock of the database
 * @param to hours that begin before this time
 * @param tenant only those of the tenant of this name; empty for all
 * @param kind only those of this kind; empty for all
 * @param limit how many at most
 */
public record ErrorQuery(
    Instant from, Instant to, Optional<String> tenant, Optional<String> kind, int limit) {

  private static final int MOST = 10_000;

  /**
   * Checks the bounds.
   *
   * @param from hours that end after this time
   * @param to hours that begin before this time
   * @param tenant the name of a tenant
   * @param kind a kind
   * @param limit how many at most
   * @throws IllegalArgumentException if {@code to} is before {@code from}, or the limit not from 1
   *     to 10,000
   */
  public ErrorQuery {
    Objects.requireNonNull(tenant, "tenant");
    Objects.requireNonNull(kind, "kind");
    Bounds.check(from, to);
    Bounds.check("limit", limit, MOST);
  }

  /**
   * The fifty most frequent errors of some hours.
   *
   * @param from hours that end after this time
   * @param to hours that begin before this time
   * @return the query
   * @throws IllegalArgumentException if {@code to} is before {@code from}
   */
  public static ErrorQuery between(Instant from, Instant to) {
    return new ErrorQuery(from, to, Optional.empty(), Optional.empty(), 50);
  }

  /**
   * Lists those of one tenant.
   *
   * @param name its name
   * @return the query
   */
  public ErrorQuery tenant(String name) {
    return new ErrorQuery(from, to, Optional.of(name), kind, limit);
  }

  /**
   * Lists those of one kind.
   *
   * @param only the kind
   * @return the query
   */
  public ErrorQuery kind(String only) {
    return new ErrorQuery(from, to, tenant, Optional.of(only), limit);
  }

  /**
   * Lists another number.
   *
   * @param most how many at most, from 1 to 10,000
   * @return the query
   * @throws IllegalArgumentException if the number is out of its bounds
   */
  public ErrorQuery limit(int most) {
    return new ErrorQuery(from, to, tenant, kind, most);
  }
}
