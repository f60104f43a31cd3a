package dev.rota.internal.statistics;

import dev.rota.Rota;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import java.util.List;

/** Writes hourly statistics and errors on request of a test, on the test's own thread. */
public final class ManualStatistics {

  private final StatisticsWriter writer;
  private final ErrorRecorder errors;

  public ManualStatistics(Rota rota) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    this.writer = new StatisticsWriter(kernel.database(), kernel.tables());
    this.errors =
        new ErrorRecorder(kernel.database(), kernel.tables(), writer, kernel.timer(), true);
  }

  /** Counts one attempt that was done, in the first hour of 1970. */
  public void count(int tenant, String kind) {
    HourKey.Counts done = new HourKey.Counts(1, 0, 0, 0);
    HourKey.Times one = new HourKey.Times(1, 1, new Histogram());
    writer.add(List.of(new HourKey(new HourKey.Key(tenant, 0, kind), done, one, one)));
  }

  public void write() {
    writer.write();
  }

  /** Counts a failed attempt, and writes the count. */
  public void writeError(int tenant, String kind) {
    errors.count(tenant, kind, 1, "broken", false);
    errors.write();
  }
}
