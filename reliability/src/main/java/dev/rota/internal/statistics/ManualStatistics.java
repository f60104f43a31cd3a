package dev.rota.internal.statistics;

import dev.rota.Rota;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import java.util.List;

/** Writes hourly statistics on request of a test, on the test's own thread. */
public final class ManualStatistics {

  private final StatisticsWriter writer;

  public ManualStatistics(Rota rota) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    this.writer = new StatisticsWriter(kernel.database(), kernel.tables());
  }

  /** Counts one attempt that was done, in the first hour of 1970. */
  public void count(int tenant, String kind) {
    HourKey.Counts done = new HourKey.Counts(1, 0, 0, 0);
    writer.add(List.of(new HourKey(new HourKey.Key(tenant, 0, kind), done, 1, 1, 1)));
  }

  public void write() {
    writer.write();
  }
}
