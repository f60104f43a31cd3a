package dev.rota.internal.worker;

import dev.rota.Rota;
import dev.rota.internal.Kernel;
import dev.rota.internal.RotaView;
import java.util.List;

/** Hourly statistics that are written when a test says so, on the test's own thread. */
public final class HandStatistics {

  private final StatisticWriter writer;

  public HandStatistics(Rota rota) {
    Kernel kernel = RotaView.kernelOf(rota);
    this.writer = new StatisticWriter(kernel.database(), kernel.tables());
  }

  /** Counts one attempt that was done, in the first hour of 1970. */
  public void count(int tenant, String kind) {
    StatisticRow.Counts done = new StatisticRow.Counts(1, 0, 0, 0);
    writer.add(List.of(new StatisticRow(new StatisticRow.Key(tenant, 0, kind), done, 1, 1, 1)));
  }

  public void write() {
    writer.write();
  }
}
