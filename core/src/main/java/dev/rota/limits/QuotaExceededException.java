package dev.rota.limits;

import dev.rota.RotaException;
import java.time.Duration;

/** Thrown when a call would bring a tenant above its quota of pending tasks. It stored nothing. */
public final class QuotaExceededException extends RotaException {

  private static final long serialVersionUID = 1L;

  private final String tenant;
  private final long allowed;
  private final long used;
  private final Duration retryAfter;

  /**
   * Creates the exception.
   *
   * @param message the tenant, the quota and the remedy
   * @param tenant the name of the tenant
   * @param allowed the quota
   * @param used how many tasks are pending
   * @param retryAfter when to try again
   */
  public QuotaExceededException(
      String message, String tenant, long allowed, long used, Duration retryAfter) {
    super(message);
    this.tenant = tenant;
    this.allowed = allowed;
    this.used = used;
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
   * @return {@code maxPending}, as in {@link Limits#maxPending(long)}
   */
  public String limit() {
    return "maxPending";
  }

  /**
   * How many tasks the tenant may have pending.
   *
   * @return the quota
   */
  public long allowed() {
    return allowed;
  }

  /**
   * How many tasks the tenant had pending, with those that the transaction of the caller had added.
   *
   * @return the number of tasks
   */
  public long used() {
    return used;
  }

  /**
   * A hint for the caller's next try: about as long as this process has found the tenant full.
   *
   * @return 100 milliseconds to 10 seconds
   */
  public Duration retryAfter() {
    return retryAfter;
  }
}
