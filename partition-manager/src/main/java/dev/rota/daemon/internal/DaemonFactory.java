package dev.rota.daemon.internal;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.daemon.RotationDaemon;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.internal.DefaultRota;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Builds a daemon: what {@link RotationDaemon}'s static method calls. */
public final class DaemonFactory {

  private DaemonFactory() {}

  /** Over the parts of an open Rota. */
  public static RotationDaemon.Builder builder(Rota rota) {
    return new DaemonBuilder(() -> rota);
  }

  /** With a shorter period of rotation than users may set, for tests of many rotations. */
  public static RotationDaemon.Builder shortPeriod(
      RotationDaemon.Builder builder, Duration period) {
    ((DaemonBuilder) builder).settings.shortPeriod(period);
    return builder;
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

  private static final class DaemonBuilder implements RotationDaemon.Builder {
    private final Supplier<Rota> rota;
    private final DaemonConfig settings = new DaemonConfig();

    DaemonBuilder(Supplier<Rota> rota) {
      this.rota = rota;
    }

    @Override
    public RotationDaemon.Builder rotateEvery(Duration period) {
      settings.rotateEvery(period);
      return this;
    }

    @Override
    public RotationDaemon.Builder slotBytes(long bytes) {
      settings.slotBytes(bytes);
      return this;
    }

    @Override
    public RotationDaemon.Builder segmentBytes(long bytes) {
      settings.segmentBytes(bytes);
      return this;
    }

    @Override
    public RotationDaemon.Builder segmentAge(Duration age) {
      settings.segmentAge(age);
      return this;
    }

    @Override
    public RotationDaemon.Builder keepHistory(Duration age) {
      settings.keepHistory(age);
      return this;
    }

    @Override
    public RotationDaemon.Builder archive(Archive archive) {
      settings.archive(archive);
      return this;
    }

    @Override
    public RotationDaemon.Builder keepArchive(Duration age) {
      settings.keepArchive(age);
      return this;
    }

    @Override
    public RotationDaemon.Builder keepLedger(Duration age) {
      settings.keepLedger(age);
      return this;
    }

    @Override
    public RotationDaemon.Builder keepStatistics(Duration age) {
      settings.keepStatistics(age);
      return this;
    }

    @Override
    public RotationDaemon.Builder keepGraphs(Duration age) {
      settings.keepGraphs(age);
      return this;
    }

    @Override
    public RotationDaemon.Builder tick(Duration interval) {
      settings.tick(interval);
      return this;
    }

    @Override
    public RotationDaemon.Builder workShare(double part) {
      settings.workShare(part);
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
              settings.copy());
      daemon.start();
      return daemon;
    }
  }
}
