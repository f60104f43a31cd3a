package dev.rota.cli.status;

import java.util.ArrayList;
import java.util.List;
import org.jooq.Name;

/** The tables of one tenant that may hold tasks, by the statistics of the server. */
final class Backlog {

  private final List<Name> ring = new ArrayList<>();
  private final List<Name> wait = new ArrayList<>();
  private long estimatedPending;
  private long estimatedWaiting;

  void addRing(Name table, long estimate) {
    ring.add(table);
    estimatedPending += estimate;
  }

  void addWait(Name table, long estimate) {
    wait.add(table);
    estimatedWaiting += estimate;
  }

  List<Name> ring() {
    return ring;
  }

  List<Name> waiting() {
    return wait;
  }

  TenantStatus.Depth estimate() {
    return new TenantStatus.Depth(estimatedPending, estimatedWaiting, 0, null, false);
  }
}
