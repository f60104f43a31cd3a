package dev.rota.micrometer;

import dev.rota.Rota;
import dev.rota.spi.TaskObserver;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Measures tasks, workers and daemons in a registry of Micrometer: one for each registry, also if
 * several {@link Rota}s have its observer. Thread-safe.
 *
 * <pre>{@code
 * RotaMetrics metrics = RotaMetrics.builder(registry).build();
 * Rota rota = Rota.builder(dataSource).observer(metrics.observer()).build();
 * metrics.watch(rota, Duration.ofMinutes(1));
 * }</pre>
 *
 * <p>A scrape sends no statement. Numbers of tags are bounded: further values are counted as {@code
 * other}.
 */
public final class RotaMetrics implements AutoCloseable {

  /** How many exceptions of a kind have a value of their own. */
  private static final int MOST_ERRORS = 50;

  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  private final Meters meters;
  private final MeterObserver observer;
  private final AtomicReference<@Nullable StatusWatch> watch = new AtomicReference<>();

  private RotaMetrics(Meters meters, MeterObserver.Limits limits) {
    this.meters = meters;
    this.observer = new MeterObserver(meters, limits);
  }

  /**
   * Builds metrics in a registry.
   *
   * @param registry the registry, which is not closed with the metrics
   * @return a builder
   */
  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  /** Sets what is measured. Not thread-safe. */
  public static final class Builder {
    private final MeterRegistry registry;
    private int kinds = 200;
    private int tenants;
    private boolean buckets = true;

    private Builder(MeterRegistry registry) {
      this.registry = registry;
    }

    /**
     * Sets how many kinds have values of their own; 200 by default.
     *
     * @param most 1 to 10,000
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    public Builder kinds(int most) {
      kinds = within("kinds", most, 1);
      return this;
    }

    /**
     * Measures tenants, which have meters of their own; none by default. The tenants that come
     * first have values of their own.
     *
     * @param most how many of them; 0 to 10,000, where 0 measures none
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    public Builder tenants(int most) {
      tenants = within("tenants", most, 0);
      return this;
    }

    /**
     * Sets whether timers have buckets, from which a server calculates quantiles; true by default.
     * Each timer has 10 to 14 of them.
     *
     * @param on false to have counts, sums and maxima alone
     * @return this builder
     */
    public Builder buckets(boolean on) {
      buckets = on;
      return this;
    }

    private static int within(String option, int value, int least) {
      if (value < least || value > 10_000) {
        throw new IllegalArgumentException(
            option + " is " + value + "; allowed are " + least + " to 10000");
      }
      return value;
    }

    /**
     * Registers the first meters. Those with values of an application come with its tasks.
     *
     * @return the metrics, to be closed by the caller
     */
    public RotaMetrics build() {
      return new RotaMetrics(
          new Meters(registry, buckets), new MeterObserver.Limits(kinds, MOST_ERRORS, tenants));
    }
  }

  /**
   * The observer for {@link Rota.Builder#observer}.
   *
   * @return the observer, the same at each call
   */
  public TaskObserver observer() {
    return observer;
  }

  /**
   * Reads the state of the whole database again and again, on a thread of its own, for the gauges
   * of pending tasks, living workers and the leader. Each time costs one call of {@link
   * dev.rota.insight.Insight#overview()}, whose cost does not grow with tasks; the numbers are its
   * estimates. One process of a database is enough; take the maximum over processes, not the sum.
   *
   * <p>It ends when these metrics or the Rota are closed. While the database is away the gauges
   * keep their values, and {@code rota.status.age} grows.
   *
   * @param rota the Rota
   * @param pause how long to wait between two looks; 1 second to 1 hour
   * @throws IllegalArgumentException if out of range
   * @throws IllegalStateException if these metrics watch a Rota already
   */
  public void watch(Rota rota, Duration pause) {
    if (pause.compareTo(SHORTEST_PAUSE) < 0 || pause.compareTo(LONGEST_PAUSE) > 0) {
      throw new IllegalArgumentException(
          "pause is " + pause + "; allowed are " + SHORTEST_PAUSE + " to " + LONGEST_PAUSE);
    }
    StatusWatch begun = new StatusWatch(rota, pause, meters);
    if (!watch.compareAndSet(null, begun)) {
      throw new IllegalStateException(
          "these metrics watch a Rota already; build others over another registry");
    }
    begun.start();
  }

  /** Ends the watch, and removes the meters from the registry. */
  @Override
  public void close() {
    StatusWatch begun = watch.get();
    if (begun != null) {
      begun.close();
    }
    meters.close();
  }
}
