package dev.rota.crash.campaign;

import dev.rota.Tenant;
import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.server.ControlledServer;
import java.time.Duration;
import java.util.List;

/**
 * One fault while it happens. It has exclusive use of the objects that it touches, and records the
 * processes that it silences.
 *
 * @param field the environment
 * @param kind the kind of fault
 * @param victim selects one of several; any number
 * @param hold its duration, if it has one
 */
record FaultStrike(CampaignEnvironment field, FaultKind kind, int victim, Duration hold) {

  /** An action on an object. */
  @FunctionalInterface
  interface Act<T> {
    void on(T target) throws Exception;
  }

  ProcessSupervisor worker() {
    return pick(field.workers());
  }

  ProcessSupervisor producer() {
    return pick(field.producers());
  }

  /** Selects any process. */
  ProcessSupervisor station() {
    return pick(field.stations());
  }

  Tenant tenant() {
    return pick(field.tenants());
  }

  /** Acts on a process or its network. */
  void with(ProcessSupervisor station, Act<ProcessSupervisor> act) throws Exception {
    station.lock().lock();
    String victimName = station.name();
    long from = System.currentTimeMillis();
    try {
      act.on(station);
    } finally {
      book(victimName, from);
      station.lock().unlock();
    }
  }

  /** Acts on the server, which runs before and after. */
  void withServer(Act<ControlledServer> act) throws Exception {
    field.serverLock().lock();
    long from = System.currentTimeMillis();
    try {
      act.on(field.server());
    } finally {
      book(Disturbances.ALL, from);
      field.serverLock().unlock();
    }
  }

  private void book(String victimName, long from) {
    if (kind.silences()) {
      field.disturbances().add(kind.name(), victimName, from, System.currentTimeMillis());
    }
  }

  private <T> T pick(List<T> several) {
    return several.get(victim % several.size());
  }
}
