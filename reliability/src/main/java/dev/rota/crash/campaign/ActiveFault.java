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
 * @param environment the environment
 * @param kind the kind of fault
 * @param victim selects one of several; any number
 * @param hold its duration, if it has one
 */
record ActiveFault(CampaignEnvironment environment, FaultKind kind, int victim, Duration hold) {

  /** An action on an object. */
  @FunctionalInterface
  interface Act<T> {
    void on(T target) throws Exception;
  }

  ProcessSupervisor worker() {
    return pick(environment.workers());
  }

  ProcessSupervisor producer() {
    return pick(environment.producers());
  }

  /** Selects any process. */
  ProcessSupervisor supervisor() {
    return pick(environment.supervisors());
  }

  Tenant tenant() {
    return pick(environment.tenants());
  }

  /** Acts on a process or its network. */
  void with(ProcessSupervisor supervisor, Act<ProcessSupervisor> act) throws Exception {
    supervisor.lock().lock();
    String victimName = supervisor.name();
    long from = System.currentTimeMillis();
    try {
      act.on(supervisor);
    } finally {
      book(victimName, from);
      supervisor.lock().unlock();
    }
  }

  /** Acts on the server, which runs before and after. */
  void withServer(Act<ControlledServer> act) throws Exception {
    environment.serverLock().lock();
    long from = System.currentTimeMillis();
    try {
      act.on(environment.server());
    } finally {
      book(Disturbances.ALL, from);
      environment.serverLock().unlock();
    }
  }

  private void book(String victimName, long from) {
    if (kind.silences()) {
      environment.disturbances().add(kind.name(), victimName, from, System.currentTimeMillis());
    }
  }

  private <T> T pick(List<T> several) {
    return several.get(victim % several.size());
  }
}
