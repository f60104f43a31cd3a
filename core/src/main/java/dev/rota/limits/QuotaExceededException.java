package dev.rota.limits;

import dev.rota.RotaException;
import java.time.Duration;

/**
 * Thrown when a call would bring a tenant above a quota: of pending tasks, or of payloads. It
 * stored nothing.
 */
public final class QuotaExceededException extends RotaException {

  private static final long serialVersionUID = 1L;

  private final String tenant;
  private final String limit;
  private final long allowed;
  private final long used;
  private final Duration retryAfter;

  /**
   * A quota and its use.
   *
   * @param limit the name of the quota, as in {@link Limits}
   * @param allowed how much the tenant may have
   * @param used how much it has
   */
  public record Use(String limit, long allowed, long used) {}

  /**
   * Creates the exception.
   *
   * @param message the tenant, the quota and the remedy
   * @param tenant the name of the tenant
   * @param use the quota and its use
   * @param retryAfter when to try again
   */
  public QuotaExceededException(String message, String tenant, Use use, Duration retryAfter) {
    super(message);
    this.tenant = tenant;
    this.limit = use.limit;
    this.allowed = use.allowed;
    this.used = use.used;
    this.retryAfter = retryAfter;
  }

  /**
   * The name of the tenant.
   *
   * @return the name
   */
  public String tenant() {
    return tenant;
  }

  /**
   * The limit that refused the call.
   *
   * @return {@code maxPending} or {@code maxPayload}, as in {@link Limits}
   */
  public String limit() {
    return limit;
  }

  /**
   * How many tasks the tenant may have pending, or how many bytes it may enqueue in the period.
   *
   * @return the quota
   */
  public long allowed() {
    return allowed;
  }

  /**
   * How much of the quota was used. Of pending tasks: with those that the transaction of the caller
   * had added. Of payloads: with what processes have leased.
   *
   * @return the number of tasks or bytes
   */
  public long used() {
    return used;
  }

  /**
   * A hint for the caller's next try. Of a quota of payloads: when the next period begins. Else
   * about as long as this process has found the tenant full.
   *
   * @return 100 milliseconds to 10 seconds, or up to a month
   */
  public Duration retryAfter() {
    return retryAfter;
  }
}
