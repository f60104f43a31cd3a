package dev.rota.metering.internal;

import dev.rota.internal.db.Database;
import dev.rota.internal.tenant.KnownTenants;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.Bounds;
import dev.rota.metering.Metering;
import dev.rota.metering.Usage;
import dev.rota.metering.UsageVerification;
import dev.rota.metering.internal.UsageReader.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

/** Default implementation of {@link Metering}. */
public final class DefaultMetering implements Metering {

  /** The hours that one transaction reads. */
  private static final Duration TOGETHER = Duration.ofDays(1);

  private final Runnable ensureOpen;
  private final TenantRegistry registry;
  private final UsageReader reader;
  private final UsageVerifier verifier;

  public DefaultMetering(Runnable ensureOpen, Database database, TenantRegistry registry) {
    this.ensureOpen = ensureOpen;
    this.registry = registry;
    this.reader = new UsageReader(database, registry.tables());
    this.verifier = new UsageVerifier(reader, registry.tables());
  }

  @Override
  public Stream<Usage> usage(Instant from, Instant to) {
    return usage(span(from, to, 0));
  }

  @Override
  public Stream<Usage> usage(String tenant, Instant from, Instant to) {
    Span all = span(from, to, 0);
    int number = KnownTenants.of(registry, tenant);
    return usage(new Span(all.from(), all.to(), number));
  }

  @Override
  public UsageVerification verify(Instant from, Instant to) {
    return verifier.verify(within(span(from, to, 0)));
  }

  /** Hours begin at whole hours: those from a moment on begin with the next whole one. */
  private Span span(Instant from, Instant to, int tenant) {
    ensureOpen.run();
    Bounds.check(from, to);
    return new Span(from, to, tenant);
  }

  /** The span in whole hours, without times at which there is no usage. */
  private Span within(Span span) {
    Span bounds = reader.bounds();
    return new Span(
        wholeHour(later(span.from(), bounds.from())),
        wholeHour(later(bounds.from(), earlier(span.to(), bounds.to()))),
        span.tenant());
  }

  private Stream<Usage> usage(Span span) {
    Span whole = within(span);
    return Stream.iterate(
            whole.from(), from -> from.isBefore(whole.to()), from -> from.plus(TOGETHER))
        .flatMap(
            from ->
                reader
                    .read(new Span(from, earlier(from.plus(TOGETHER), whole.to()), whole.tenant()))
                    .stream())
        .map(UsageRow::usage);
  }

  private static Instant wholeHour(Instant time) {
    long hour = Duration.ofHours(1).toSeconds();
    return Instant.ofEpochSecond(
        Math.floorDiv(time.plusSeconds(hour).minusNanos(1).getEpochSecond(), hour) * hour);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
