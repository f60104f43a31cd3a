package dev.rota.crash.campaign;

import dev.rota.Tenant;
import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.server.ControlledServer;
import java.time.Duration;
import java.util.List;

/**
 * One fault while it happens. Whatever it touches belongs to it alone meanwhile, and what it
 * silences is booked.
 *
 * @param field what it acts on
 * @param kind what it is
 * @param victim which of several; any number
 * @param hold how long it lasts, if it lasts
 */
record FaultStrike(CampaignEnvironment field, FaultKind kind, int victim, Duration hold) {

  /** What is done to something. */
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

  /** Any process. */
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
