package dev.rota;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What holds for one tenant instead of what holds for all. Immutable and thread-safe; each method
 * returns a copy.
 *
 * @see Tenant#changePolicy
 */
public final class TenantPolicy {

  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final TenantPolicy DEFAULTS = new TenantPolicy(Optional.empty());

  private final Optional<Duration> keepHistory;

  private TenantPolicy(Optional<Duration> keepHistory) {
    this.keepHistory = keepHistory;
  }

  /**
   * What a tenant has that nothing was set for: all as the daemon's settings say.
   *
   * @return the policy without anything of its own
   */
  public static TenantPolicy defaults() {
    return DEFAULTS;
  }

  /**
   * How long the tenant's history is kept, counted from when a segment of it was sealed. The
   * leading daemon drops whole segments, and seals those of a tenant that keeps its history for
   * less than ten days earlier than its settings say: at a tenth of this time, but not before they
   * are a minute old. So nothing goes before its time, and everything is gone a tenth of the time
   * and two minutes later, unless a batch in it is still open.
   *
   * @param age zero to 36,500 days, kept to the microsecond
   * @return a copy with this time
   * @throws IllegalArgumentException if out of range
   */
  public TenantPolicy keepHistory(Duration age) {
    if (age.isNegative() || age.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "keepHistory is " + age + "; use zero to " + LONGEST.toDays() + " days");
    }
    return new TenantPolicy(Optional.of(age));
  }

  /**
   * Lets history be kept as long as the daemon's settings say.
   *
   * @return a copy without a time of its own
   */
  public TenantPolicy keepHistoryByDefault() {
    return new TenantPolicy(Optional.empty());
  }

  /**
   * How long the tenant's history is kept.
   *
   * @return the time, or empty for as long as the daemon's settings say
   */
  public Optional<Duration> keepHistory() {
    return keepHistory;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TenantPolicy policy && keepHistory.equals(policy.keepHistory);
  }

  @Override
  public int hashCode() {
    return Objects.hash(keepHistory);
  }

  @Override
  public String toString() {
    return "keepHistory=" + keepHistory.map(Duration::toString).orElse("default");
  }
}
