package dev.rota.metering;

import java.time.Instant;
import java.util.List;

/**
 * The result of a comparison of the usage with the history.
 *
 * @param compared how many hours of tenants were compared
 * @param skipped how many hours of tenants could not be compared, because the ledger or the history
 *     has dropped a part of them
 * @param differences the hours that differ
 * @see Metering#verify(Instant, Instant)
 */
public record UsageVerification(long compared, long skipped, List<Difference> differences) {

  /**
   * Copies the list.
   *
   * @param compared how many hours of tenants were compared
   * @param skipped how many could not be compared
   * @param differences the hours that differ
   */
  public UsageVerification {
    differences = List.copyOf(differences);
  }

  /**
   * An hour of a tenant that differs.
   *
   * @param tenant the name of the tenant
   * @param hour the first moment of the hour
   * @param usage what the usage says
   * @param history what the history says
   */
  public record Difference(String tenant, Instant hour, Counts usage, Counts history) {}

  /**
   * What is compared.
   *
   * @param attempts the number of attempts
   * @param bytes the bytes of their payloads
   */
  public record Counts(long attempts, long bytes) {}

  /**
   * Whether nothing differs.
   *
   * @return whether the usage of all compared hours is that of the history
   */
  public boolean isExact() {
    return differences.isEmpty();
  }
}
