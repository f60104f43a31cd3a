package dev.rota.internal.tenant;

import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.text.SafeText;

/**
 * One tenant in memory: its state, refreshed by the registry, and the texts of statements on its
 * tables. Thread-safe.
 */
public final class TenantRef {

  private final TenantTables tables;
  private final Sql.Cache statements;
  private volatile TenantState state;

  TenantRef(TenantTables tables, TenantState state) {
    this.tables = tables;
    this.state = state;
    this.statements = new Sql.Cache(tables, () -> this.state.lanes().count());
  }

  public TenantState state() {
    return state;
  }

  /** Updates the state. It may have been read before a lane became visible that is known here. */
  synchronized void update(TenantState newState) {
    state = newState.knowing(state.lanes());
  }

  public TenantTables tables() {
    return tables;
  }

  public int number() {
    return tables.number();
  }

  /** The name of the tenant in error messages. */
  public String label() {
    return "tenant '" + SafeText.whole(state.name()) + "' (" + number() + ")";
  }

  /** The statements on its tables. */
  public Sql.Cache statements() {
    return statements;
  }
}
