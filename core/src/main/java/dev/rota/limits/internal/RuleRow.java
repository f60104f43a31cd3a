package dev.rota.limits.internal;

import dev.rota.limits.Breaker;
import dev.rota.limits.Limits;
import dev.rota.limits.PayloadQuota;
import dev.rota.limits.Rate;
import dev.rota.limits.Rule;
import dev.rota.limits.Rule.Pause.Origin;
import dev.rota.limits.Scope;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A rule as stored.
 *
 * @param tenant the number of the tenant of its scope, if it has one
 * @param scope its scope
 * @param limits its limits
 * @param pause its pause, if it is not over
 * @param order what a handler or a breaker ordered, and no operator; null for a rule
 */
record RuleRow(
    OptionalInt tenant,
    Scope scope,
    Limits limits,
    Optional<TimedPause> pause,
    @Nullable Order order) {

  /** The remaining microseconds of a pause without an end. */
  private static final long ENDLESS = Long.MAX_VALUE;

  /**
   * A pause when it was read.
   *
   * @param lasts how many nanoseconds it lasts from then on; none for a pause without an end
   * @param since when it began
   * @param until when it ends; null for a pause without an end
   */
  record TimedPause(OptionalLong lasts, String reason, Instant since, @Nullable Instant until) {

    /** How long it lasts from so many nanoseconds after it was read; the longest without an end. */
    long left(long age) {
      return lasts.isPresent() ? lasts.getAsLong() - age : Long.MAX_VALUE;
    }
  }

  /**
   * A pause that no operator ordered.
   *
   * @param origin who ordered it
   * @param at when, by the clock of the database
   */
  record Order(Origin origin, Instant at) {}

  /** Reads a row, in the order of the columns of the statement. */
  static RuleRow read(ResultSet row) throws SQLException {
    int number = row.getInt(1);
    OptionalInt tenant = row.wasNull() ? OptionalInt.empty() : OptionalInt.of(number);
    Scope whole =
        tenant.isPresent()
            ? Scope.tenant(row.getString(9))
            : row.getString(2) == null ? Scope.everything() : Scope.plan(row.getString(2));
    return new RuleRow(tenant, part(whole, row), limits(row), pause(row), order(row));
  }

  private static Limits limits(ResultSet row) throws SQLException {
    double weight = row.getDouble(5);
    Limits limits = row.wasNull() ? Limits.none() : Limits.none().weight(weight);
    int tier = row.getInt(11);
    Limits ranked = row.wasNull() ? limits : limits.tier(tier);
    int concurrency = row.getInt(12);
    Limits capped = row.wasNull() ? ranked : ranked.concurrency(concurrency);
    long starts = row.getLong("rate");
    Limits rated = row.wasNull() ? capped : capped.rate(rate(starts, row));
    long maxPending = row.getLong("max_pending");
    Limits bounded = row.wasNull() ? rated : rated.maxPending(maxPending);
    String maxPayload = row.getString("max_payload");
    Limits charged =
        maxPayload == null ? bounded : bounded.maxPayload(PayloadQuota.parse(maxPayload));
    String pool = row.getString("pool");
    Limits placed = pool == null ? charged : charged.pool(pool);
    String breaker = row.getString("breaker");
    return breaker == null ? placed : placed.breaker(Breaker.parse(breaker));
  }

  private static Rate rate(long starts, ResultSet row) throws SQLException {
    Rate rate = Rate.of(starts, Duration.ofMillis(row.getLong("rate_millis")));
    int burst = row.getInt("burst");
    return row.wasNull() ? rate : rate.withBurst(burst);
  }

  private static @Nullable Order order(ResultSet row) throws SQLException {
    String origin = row.getString("origin");
    return origin == null
        ? null
        : new Order(
            origin.equals("breaker") ? Origin.BREAKER : Origin.HANDLER,
            row.getObject(8, OffsetDateTime.class).toInstant());
  }

  /** Who ordered its pause. */
  Origin origin() {
    return order == null ? Origin.OPERATOR : order.origin();
  }

  private static Scope part(Scope whole, ResultSet row) throws SQLException {
    String kind = row.getString(3);
    int priority = row.getInt(4);
    boolean ofPriority = !row.wasNull();
    return kind != null ? whole.ofKind(kind) : ofPriority ? whole.ofPriority(priority) : whole;
  }

  private static Optional<TimedPause> pause(ResultSet row) throws SQLException {
    long micros = row.getLong(6);
    if (row.wasNull() || micros <= 0) {
      return Optional.empty();
    }
    boolean endless = micros == ENDLESS;
    return Optional.of(
        new TimedPause(
            endless ? OptionalLong.empty() : OptionalLong.of(TimeUnit.MICROSECONDS.toNanos(micros)),
            Objects.requireNonNullElse(row.getString(7), ""),
            row.getObject(8, OffsetDateTime.class).toInstant(),
            endless ? null : row.getObject(10, OffsetDateTime.class).toInstant()));
  }

  /** As users see it. */
  Rule rule() {
    return new Rule(
        scope,
        limits,
        pause.map(
            own ->
                new Rule.Pause(
                    own.reason(), own.since(), Optional.ofNullable(own.until()), origin())));
  }
}
