package dev.rota.admin.internal;

import dev.rota.admin.TenantStatus.Backlog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jooq.Name;

/** The tables of one tenant that may hold tasks, with the server's estimates. */
final class BacklogTables {

  private final int tenant;
  private final List<Name> slots = new ArrayList<>();
  private final List<Name> waiting = new ArrayList<>();
  private long estimatedPending;
  private long estimatedWaiting;

  BacklogTables(int tenant) {
    this.tenant = tenant;
  }

  /** The tenant, for error messages. */
  String label() {
    return "tenant " + tenant;
  }

  void addSlot(Name table, long estimate) {
    slots.add(table);
    estimatedPending += estimate;
  }

  void addWaiting(Name table, long estimate) {
    waiting.add(table);
    estimatedWaiting += estimate;
  }

  List<Name> slots() {
    return slots;
  }

  List<Name> waiting() {
    return waiting;
  }

  Backlog estimate() {
    return new Backlog(estimatedPending, estimatedWaiting, false, Optional.empty());
  }
}
