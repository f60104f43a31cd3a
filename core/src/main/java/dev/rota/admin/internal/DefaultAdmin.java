package dev.rota.admin.internal;

import dev.rota.admin.Admin;
import dev.rota.admin.DatabaseStatus;
import dev.rota.admin.Finding;
import dev.rota.admin.Roles;
import java.util.List;

/** Default implementation of {@link Admin} for one schema. */
public final class DefaultAdmin implements Admin {

  private final Runnable ensureOpen;
  private final Migration migration;
  private final Preflight preflight;
  private final StatusReader status;

  public DefaultAdmin(
      Runnable ensureOpen, Migration migration, Preflight preflight, StatusReader status) {
    this.ensureOpen = ensureOpen;
    this.migration = migration;
    this.preflight = preflight;
    this.status = status;
  }

  @Override
  public void migrate() {
    ensureOpen.run();
    migration.run(null);
  }

  @Override
  public void migrate(Roles roles) {
    ensureOpen.run();
    migration.run(roles);
  }

  @Override
  public List<Finding> preflight() {
    ensureOpen.run();
    return preflight.findings();
  }

  @Override
  public DatabaseStatus status() {
    ensureOpen.run();
    return status.read(null);
  }

  @Override
  public DatabaseStatus summary() {
    ensureOpen.run();
    return status.readSummary();
  }

  @Override
  public DatabaseStatus status(String tenant) {
    ensureOpen.run();
    return status.read(tenant);
  }
}
