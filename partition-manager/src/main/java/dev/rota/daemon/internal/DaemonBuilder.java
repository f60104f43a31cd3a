package dev.rota.daemon.internal;

import static dev.rota.internal.config.RotaConfig.within;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.daemon.RotationDaemon;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.maintenance.ClockGuard;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Builds a daemon: holds the settings with their defaults, and checks them. Not thread-safe. */
public final class DaemonBuilder implements RotationDaemon.Builder {

  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final Duration PARKING_NOTICE = Duration.ofMinutes(2);
  private static final Duration PARKING_INTERVAL = Duration.ofMinutes(1);

  private final Supplier<Rota> rota;
  private Duration rotateEvery = Duration.ofHours(1);
  private DaemonConfig.Parking parking =
      new DaemonConfig.Parking(Duration.ofDays(7), PARKING_NOTICE, PARKING_INTERVAL);
  private long slotBytes = 256L << 20;
  private long segmentBytes = 8L << 20;
  private Duration segmentAge = Duration.ofDays(1);
  private Duration keepHistory = Duration.ofDays(7);
  private Duration keepArchive = LONGEST;
  private Duration keepLedger = Duration.ofDays(1);
  private Duration keepStatistics = Duration.ofDays(30);
  private Duration keepGraphs = Duration.ofDays(1);
  private Optional<Archive> archive = Optional.empty();
  private Duration tick = Duration.ofMillis(250);
  private double workShare = 0.25;
  private Duration clockTrial = ClockGuard.TRIAL;

  private DaemonBuilder(Supplier<Rota> rota) {
    this.rota = rota;
  }

  /** Over the parts of an open Rota. */
  public static DaemonBuilder over(Rota rota) {
    return new DaemonBuilder(() -> rota);
  }

  /** With a shorter period of rotation than users may set, for tests of many rotations. */
  public static RotationDaemon.Builder shortPeriod(
      RotationDaemon.Builder builder, Duration period) {
    DaemonBuilder own = (DaemonBuilder) builder;
    own.rotateEvery = period;
    return own;
  }

  /** Parks after a shorter time than users may set, for tests. */
  public static RotationDaemon.Builder shortParking(
      RotationDaemon.Builder builder, Duration after, Duration notice) {
    DaemonBuilder own = (DaemonBuilder) builder;
    own.parking = new DaemonConfig.Parking(after, notice, Duration.ofMillis(50));
    return own;
  }

  /** Deletes what is old without watching the clock first, for tests that make things old. */
  public static RotationDaemon.Builder trustingTheClock(RotationDaemon.Builder builder) {
    DaemonBuilder own = (DaemonBuilder) builder;
    own.clockTrial = Duration.ZERO;
    return own;
  }

  /**
   * Refuses settings that no daemon can have, where there is no database yet.
   *
   * @param settings sets them
   * @throws IllegalArgumentException if one is out of range
   */
  public static void check(Consumer<RotationDaemon.Builder> settings) {
    settings.accept(
        new DaemonBuilder(
            () -> {
              throw new IllegalStateException("these settings are only checked");
            }));
  }

  @Override
  public DaemonBuilder rotateEvery(Duration period) {
    rotateEvery = within("rotateEvery", period, Duration.ofSeconds(1), Duration.ofDays(7));
    return this;
  }

  @Override
  public DaemonBuilder parkAfter(Duration idle) {
    Duration after = idle.isZero() ? idle : within("parkAfter", idle, Duration.ofHours(1), LONGEST);
    parking = new DaemonConfig.Parking(after, PARKING_NOTICE, PARKING_INTERVAL);
    return this;
  }

  @Override
  public DaemonBuilder slotBytes(long bytes) {
    slotBytes = within("slotBytes", bytes, 8_192, Long.MAX_VALUE);
    return this;
  }

  @Override
  public DaemonBuilder segmentBytes(long bytes) {
    segmentBytes = within("segmentBytes", bytes, 0, Long.MAX_VALUE);
    return this;
  }

  @Override
  public DaemonBuilder segmentAge(Duration age) {
    segmentAge = within("segmentAge", age, Duration.ofSeconds(1), LONGEST);
    return this;
  }

  @Override
  public DaemonBuilder archive(Archive to) {
    archive = Optional.of(to);
    return this;
  }

  @Override
  public DaemonBuilder keepArchive(Duration age) {
    keepArchive = within("keepArchive", age, Duration.ZERO, LONGEST);
    return this;
  }

  @Override
  public DaemonBuilder keepHistory(Duration age) {
    keepHistory = within("keepHistory", age, Duration.ZERO, LONGEST);
    return this;
  }

  @Override
  public DaemonBuilder keepLedger(Duration age) {
    keepLedger = within("keepLedger", age, Duration.ZERO, LONGEST);
    return this;
  }

  @Override
  public DaemonBuilder keepStatistics(Duration age) {
    keepStatistics = within("keepStatistics", age, Duration.ZERO, LONGEST);
    return this;
  }

  @Override
  public DaemonBuilder keepGraphs(Duration age) {
    keepGraphs = within("keepGraphs", age, Duration.ZERO, LONGEST);
    return this;
  }

  @Override
  public DaemonBuilder tick(Duration interval) {
    tick = within("tick", interval, Duration.ofMillis(10), Duration.ofMinutes(1));
    return this;
  }

  @Override
  public DaemonBuilder workShare(double part) {
    workShare = within("workShare", part, 0.01, 1);
    return this;
  }

  @Override
  public RotationDaemon start() {
    Rota owner = rota.get();
    DefaultDaemon daemon =
        new DefaultDaemon(
            DefaultRota.kernelOf(owner),
            DefaultRota.featuresOf(owner),
            DefaultRota.preflightOf(owner),
            config());
    daemon.start();
    return daemon;
  }

  /** The settings so far. */
  DaemonConfig config() {
    return new DaemonConfig(
        new DaemonConfig.Rotation(rotateEvery, slotBytes, parking),
        new DaemonConfig.Segments(segmentBytes, segmentAge),
        new DaemonConfig.Retention(
            keepHistory, keepArchive, keepLedger, keepStatistics, keepGraphs),
        archive,
        new DaemonConfig.Pace(tick, workShare, clockTrial));
  }
}
