package dev.rota.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Registers meters of the list, and removes them again. Thread-safe. */
final class Meters implements AutoCloseable {

  /** Most of those that OpenTelemetry advises for messages, and three for tasks that take long. */
  private static final Duration[] LONG =
      millis(5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000);

  private static final Duration[] SHORT = millis(1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000);

  private final MeterRegistry registry;
  private final boolean buckets;
  private final Set<Meter> registered = ConcurrentHashMap.newKeySet();

  /**
   * Over a registry.
   *
   * @param buckets whether timers have buckets
   */
  Meters(MeterRegistry registry, boolean buckets) {
    this.registry = registry;
    this.buckets = buckets;
  }

  Counter counter(RotaMeter meter, String... values) {
    return kept(
        Counter.builder(meter.id())
            .description(meter.description())
            .tags(tags(meter, values))
            .register(registry));
  }

  Timer timer(RotaMeter meter, String... values) {
    Timer.Builder builder =
        Timer.builder(meter.id()).description(meter.description()).tags(tags(meter, values));
    if (buckets) {
      builder.serviceLevelObjectives(bucketsOf(meter));
    }
    return kept(builder.register(registry));
  }

  /** A counter that is read from an object, which is not kept from the garbage collector. */
  <T> void counter(RotaMeter meter, T object, ToDoubleFunction<T> value, String... values) {
    kept(
        FunctionCounter.builder(meter.id(), object, value)
            .baseUnit(meter.type().unit())
            .description(meter.description())
            .tags(tags(meter, values))
            .register(registry));
  }

  /** A gauge that is read from an object, which is not kept from the garbage collector. */
  <T> void gauge(RotaMeter meter, T object, ToDoubleFunction<T> value, String... values) {
    kept(
        Gauge.builder(meter.id(), object, value)
            .baseUnit(meter.type().unit())
            .description(meter.description())
            .tags(tags(meter, values))
            .register(registry));
  }

  /** A meter for each constant of an enum. */
  static <E extends Enum<E>, M extends Meter> Map<E, M> ofEach(
      Class<E> type, Function<E, M> maker) {
    Map<E, M> made = new EnumMap<>(type);
    for (E constant : EnumSet.allOf(type)) {
      made.put(constant, maker.apply(constant));
    }
    return Collections.unmodifiableMap(made);
  }

  /** The value of a tag for a constant. */
  static String tag(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static Tags tags(RotaMeter meter, String... values) {
    if (values.length != meter.tags().size()) {
      throw new IllegalArgumentException(
          meter.id() + " has the tags " + meter.tags() + ", not " + List.of(values));
    }
    Tags tags = Tags.empty();
    for (int i = 0; i < values.length; i++) {
      tags = tags.and(meter.tags().get(i), values[i]);
    }
    return tags;
  }

  private static Duration[] bucketsOf(RotaMeter meter) {
    return meter.type() == RotaMeter.Type.SHORT_TIMER ? SHORT : LONG;
  }

  private static Duration[] millis(long... each) {
    Duration[] durations = new Duration[each.length];
    for (int i = 0; i < each.length; i++) {
      durations[i] = Duration.ofMillis(each[i]);
    }
    return durations;
  }

  private <M extends Meter> M kept(M meter) {
    registered.add(meter);
    return meter;
  }

  /** Removes the meters. */
  @Override
  public void close() {
    registered.forEach(registry::remove);
    registered.clear();
  }
}
