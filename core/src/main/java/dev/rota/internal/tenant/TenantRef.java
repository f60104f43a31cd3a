package dev.rota.internal.tenant;

import dev.rota.internal.db.Session;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;

/**
 * One tenant in memory: its state, refreshed by the registry, and the texts of statements on its
 * tables. Thread-safe.
 */
public final class TenantRef {

  private static final Comparator<TenantRef> ORDER =
      Comparator.comparingInt(TenantRef::number).thenComparing(TenantRef::registeredAt);

  private final TenantRegistry registry;
  private final TenantTables tables;
  private final Instant registeredAt;
  private final Sql.Cache statements;
  private volatile TenantState state;
  private volatile int readIn;

  TenantRef(TenantRegistry registry, Instant registeredAt, TenantState state, int readIn) {
    this.registry = registry;
    this.tables = registry.tables().tenant(state.number());
    this.registeredAt = registeredAt;
    this.state = state;
    this.readIn = readIn;
    this.statements = new Sql.Cache(tables, () -> this.state.lanes().count());
  }

  public TenantState state() {
    return state;
  }

  /**
   * Updates the state. It may have been read before a lane became visible that is known here. What
   * is known of another history of the server is discarded.
   *
   * @param newReadIn the number of the history in which it was read
   */
  synchronized void update(TenantState newState, int newReadIn) {
    if (newReadIn == readIn) {
      state = newState.knowing(state.lanes());
    } else if (newReadIn > readIn) {
      state = newState;
      readIn = newReadIn;
    }
  }

  /** The number of the history in which the state was read, as the registry counts them. */
  int readIn() {
    return readIn;
  }

  /**
   * The time of the registration. Another history of the server may have given the number to
   * another tenant.
   */
  Instant registeredAt() {
    return registeredAt;
  }

  /**
   * Makes sure, in this transaction, that the tenant exists in the present history of the server.
   * Costs nothing unless the server was restored, replaced or started anew since the last time.
   *
   * @throws dev.rota.UnknownTenantException if it does not; its number may be that of another one
   */
  public void confirm(Session session) throws SQLException {
    registry.confirm(session, this);
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

  /** Orders tenants by number, as transactions lock them. */
  public static Comparator<TenantRef> order() {
    return ORDER;
  }

  /** The statements on its tables. */
  public Sql.Cache statements() {
    return statements;
  }
}
