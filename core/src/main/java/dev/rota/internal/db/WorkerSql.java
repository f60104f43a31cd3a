package dev.rota.internal.db;

/** The statements by which a process registers as a worker and stays one. */
public final class WorkerSql {

  /** Registers; sent again if its answer was lost. */
  public static final Sql REGISTER =
      new Sql(
          "heartbeat",
          """
          insert into {workers} as w (id, host, lease, started_at, heartbeat_at, token)
          values (?, ?, ? * interval '1 millisecond', now(), now(), ?)
          on conflict (id) do update set heartbeat_at = now(), token = excluded.token""");

  /**
   * Sends a heartbeat; no row means that the row is gone, or that it is an older one.
   *
   * <p>Rejected: {@code insert ... on conflict}, which registers the worker of a lost past again.
   */
  public static final Sql HEARTBEAT =
      new Sql(
          "heartbeat",
          """
          update {workers} set heartbeat_at = now(), token = ?
           where id = ? and token = any (?::bigint[])""");

  /** Signs off. */
  public static final Sql SIGN_OFF = new Sql("sign off", "delete from {workers} where id = ?");

  private WorkerSql() {}
}
