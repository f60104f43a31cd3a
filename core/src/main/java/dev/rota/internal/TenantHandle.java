package dev.rota.internal;

import dev.rota.internal.db.Sql;
import dev.rota.internal.db.TenantTables;
import dev.rota.internal.text.Shown;

/**
 * One tenant in memory: its state, refreshed by the registry, and the texts of statements on its
 * tables. Thread-safe.
 */
public final class TenantHandle {

  private final TenantTables tables;
  private final Sql.Cache statements;
  private volatile TenantState state;

  TenantHandle(TenantTables tables, TenantState state) {
    this.tables = tables;
    this.state = state;
    this.statements = new Sql.Cache(tables, () -> this.state.lanes().count());
  }

  public TenantState state() {
    return state;
  }

  /** Somebody may have read it before he could see a lane that is known here. */
  synchronized void update(TenantState newState) {
    state = newState.knowing(state.lanes());
  }

  public TenantTables tables() {
    return tables;
  }

  public int number() {
    return tables.number();
  }

  /** How error messages name the tenant. */
  public String label() {
    return "tenant '" + Shown.whole(state.name()) + "' (" + number() + ")";
  }

  /** The statements on its tables. */
  public Sql.Cache statements() {
    return statements;
  }
}
