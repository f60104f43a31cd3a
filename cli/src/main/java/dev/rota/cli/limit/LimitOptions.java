package dev.rota.cli.limit;

import dev.rota.cli.common.UsageException;
import dev.rota.limits.Breaker;
import dev.rota.limits.Limits;
import dev.rota.limits.PayloadQuota;
import dev.rota.limits.Rate;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that set limits of a scope. */
final class LimitOptions {

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = {
        "How many of its tasks may run at a time, over all processes, 1 or more;",
        "for a plan: of each of its tenants."
      })
  private @Nullable Integer concurrency;

  @Option(
      names = "--rate",
      paramLabel = "N/TIME",
      converter = RateConverter.class,
      description = {
        "How many of its tasks may begin in a time, over all processes, such as 100/s,",
        "10/m or 1/2h, from 1/d to 1000000/s; for a plan: of each of its tenants."
      })
  private @Nullable Rate rate;

  @Option(
      names = "--burst",
      paramLabel = "N",
      description = {
        "How many of them may begin at once after a time in which fewer began;",
        "without it those of 0.1 seconds, and at least 1."
      })
  private @Nullable Integer burst;

  @Option(
      names = "--weight",
      paramLabel = "NUMBER",
      description = "Its share of the handlers' time beside tenants of weight 1, 0.001 to 1000.")
  private @Nullable Double weight;

  @Option(
      names = "--tier",
      paramLabel = "N",
      description = {
        "Tenants of a higher tier are served first, -10 to 10;",
        "lower ones share a tenth of the time. Without a tier: 0."
      })
  private @Nullable Integer tier;

  @Option(
      names = "--max-pending",
      paramLabel = "N",
      converter = CountConverter.class,
      description = {
        "How many pending tasks the tenant may have, such as 100000 or 1e5;",
        "enqueues beyond are refused. For a plan: each of its tenants."
      })
  private @Nullable Long maxPending;

  @Option(
      names = "--max-payload",
      paramLabel = "SIZE/PERIOD",
      converter = PayloadQuotaConverter.class,
      description = {
        "How many bytes of payloads the tenant may enqueue in an hour, day or month",
        "of UTC, such as 1GB/day; enqueues beyond are refused."
      })
  private @Nullable PayloadQuota maxPayload;

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      description = {
        "The pool whose workers run its tasks;",
        "'default' is the one of workers without pools."
      })
  private @Nullable String pool;

  @Option(
      names = "--breaker",
      paramLabel = "TEXT",
      converter = BreakerConverter.class,
      description = {
        "Pause the kind when attempts fail, such as",
        "\"0.5 of 20 within 1m pause 30s probes 3\": half of at least 20 attempts",
        "of a process within a minute. After 30 seconds 3 tasks are tried at a time."
      })
  private @Nullable Breaker breaker;

  /** Refuses a command line without any of them. */
  void check() {
    if (Stream.of(concurrency, rate, burst, weight, tier, maxPending, maxPayload, pool, breaker)
        .allMatch(Objects::isNull)) {
      throw new UsageException(
          "give --concurrency, --rate, --burst, --weight, --tier, --max-pending, --max-payload,"
              + " --pool or --breaker");
    }
  }

  /** Sets what is given. */
  Limits on(Limits limits) {
    Limits changed = rate == null ? limits : limits.rate(rate);
    if (burst != null) {
      changed = changed.burst(burst);
    }
    if (concurrency != null) {
      changed = changed.concurrency(concurrency);
    }
    if (weight != null) {
      changed = changed.weight(weight);
    }
    if (tier != null) {
      changed = changed.tier(tier);
    }
    if (maxPending != null) {
      changed = changed.maxPending(maxPending);
    }
    if (maxPayload != null) {
      changed = changed.maxPayload(maxPayload);
    }
    if (pool != null) {
      changed = changed.pool(pool);
    }
    return breaker == null ? changed : changed.breaker(breaker);
  }
}
