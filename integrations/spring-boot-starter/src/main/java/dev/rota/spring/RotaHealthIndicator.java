package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.admin.DatabaseStatus;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Tells whether the database of Rota answers and has its schema: down if not. Details are numbers,
 * of eight statements that count no tasks.
 *
 * <p>A missing daemon is a detail and no failure: a restart of this process would not bring one.
 */
final class RotaHealthIndicator extends AbstractHealthIndicator {

  private final Rota rota;

  RotaHealthIndicator(Rota rota) {
    super("the health of Rota could not be read");
    this.rota = rota;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    DatabaseStatus status = rota.admin().summary();
    status.server().schemaVersion().ifPresent(v -> health.withDetail("schemaVersion", v));
    health
        .up()
        .withDetail("daemonLeads", status.leader().isPresent())
        .withDetail("liveWorkers", status.liveWorkers())
        .withDetail("setAside", status.troubles().setAside().size())
        .withDetail("archiveTroubles", status.troubles().archive().size());
  }
}
