package dev.rota.limits.internal.quota;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.internal.tenant.TenantAllowances.Charge;
import java.sql.SQLException;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * The bytes of the quota of payloads of one tenant that this process has leased and not used.
 * Enqueues take from them without a statement. They are void when their period is over, and in
 * another history of the server, which may not know of the lease. Thread-safe.
 */
final class PayloadLease {

  private final LongSupplier nanoTime;
  private final IntSupplier histories;
  private int history;
  private Period period = new Period("", 0);
  private long left;
  private long endsAt;

  /**
   * A period of the calendar.
   *
   * @param unit hour, day or month
   * @param began its beginning, in seconds since 1970
   */
  record Period(String unit, long began) {}

  /**
   * What the database tells of a quota.
   *
   * @param allowed the quota; 0 if the tenant has none
   * @param used what is used or leased
   * @param granted what was leased now; 0 if that would be too much
   * @param lastsNanos when the period ends
   */
  record Grant(long allowed, long used, long granted, Period period, long lastsNanos) {}

  /**
   * Creates an empty lease.
   *
   * @param histories how many changes of the server's history were noticed
   */
  PayloadLease(LongSupplier nanoTime, IntSupplier histories) {
    this.nanoTime = nanoTime;
    this.histories = histories;
  }

  /**
   * Takes bytes.
   *
   * @param source leases as many bytes, or more
   * @throws RotaException the refusal, if there are not as many
   */
  synchronized Charge take(
      long bytes, LongFunction<Grant> source, Function<Grant, RotaException> refusal) {
    if (nanoTime.getAsLong() - endsAt >= 0) {
      left = 0;
    }
    forgetFormerHistory();
    while (left < bytes) {
      long askedAt = nanoTime.getAsLong();
      Grant grant = source.apply(bytes - left);
      forgetFormerHistory();
      if (grant.allowed == 0) {
        return failure -> {};
      }
      if (!grant.period.equals(period)) {
        period = grant.period;
        left = 0;
      }
      endsAt = askedAt + grant.lastsNanos;
      if (grant.granted == 0) {
        throw refusal.apply(grant);
      }
      left += grant.granted;
    }
    left -= bytes;
    Period paid = period;
    int paidIn = history;
    return failure -> {
      if (!mayBeStored(failure)) {
        giveBack(paid, paidIn, bytes);
      }
    };
  }

  private void forgetFormerHistory() {
    int present = histories.getAsInt();
    if (present != history) {
      history = present;
      left = 0;
    }
  }

  private static boolean mayBeStored(Throwable failure) {
    return failure instanceof DatabaseException e
        ? e.outcomeUnknown()
        : !(failure instanceof RotaException || failure instanceof SQLException);
  }

  private synchronized void giveBack(Period paid, int paidIn, long bytes) {
    forgetFormerHistory();
    if (paid.equals(period) && paidIn == history) {
      left += bytes;
    }
  }

  /** Takes all that is left, to give it back. */
  synchronized Rest takeRest(int tenant) {
    forgetFormerHistory();
    Rest rest = new Rest(tenant, period, left);
    left = 0;
    return rest;
  }

  /** What was left of a lease. */
  record Rest(int tenant, Period period, long bytes) {}
}
