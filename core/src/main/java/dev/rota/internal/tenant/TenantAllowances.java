package dev.rota.internal.tenant;

import dev.rota.NewTask;
import dev.rota.RotaException;
import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** What bounds the new tasks of tenants, as the registry knows it. */
public final class TenantAllowances {

  private TenantAllowances() {}

  /** Tells how many tasks bounded tenants may still get. */
  @FunctionalInterface
  public interface RoomSource {

    /** Reads in this transaction the rooms of tenants by their numbers; none without a limit. */
    Map<Integer, Room> read(Session session, List<TenantRef> tenants) throws SQLException;
  }

  /** How many more pending tasks a tenant may have. */
  public interface Room {

    /** The number of tasks for which there is room; less than 0 above the limit. */
    long left();

    /** The exception for a call that adds too many tasks. */
    RotaException refusal(long tasks);
  }

  /** Takes payloads from the allowances of tenants. */
  @FunctionalInterface
  public interface ChargeSource {

    /** Takes the payloads of tasks, or throws the refusal. */
    Charge take(TenantRef tenant, List<NewTask> tasks);
  }

  /** Payloads that were taken from an allowance. */
  @FunctionalInterface
  public interface Charge {

    /** Gives them back, unless the tasks may be stored in spite of the failure. */
    void failed(Throwable failure);
  }
}
