package dev.rota.limits.internal.quota;

import dev.rota.NewTask;
import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantAllowances.Charge;
import dev.rota.internal.tenant.TenantAllowances.ChargeSource;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.internal.quota.PayloadLease.Grant;
import dev.rota.limits.internal.quota.PayloadLease.Period;
import dev.rota.limits.internal.quota.PayloadLease.Rest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Leases bytes of payloads for the enqueues of this process. Thread-safe. */
public final class PayloadQuotas implements ChargeSource {

  /** The name of the quota. */
  static final String LIMIT = "maxPayload";

  private static final Sql LEASE_PAYLOAD = Sql.named("lease_payload");
  private static final Sql RETURN_PAYLOAD = Sql.named("return_payload");

  private final Database database;
  private final RegistryTables tables;
  private final LongSupplier nanoTime;
  private final Map<Integer, PayloadLease> leases = new ConcurrentHashMap<>();
  private final AtomicInteger histories = new AtomicInteger();

  /**
   * Creates the quotas of one Rota.
   *
   * @param nanoTime the clock that measures for how long leases last
   */
  public PayloadQuotas(Database database, RegistryTables tables, LongSupplier nanoTime) {
    this.database = database;
    this.tables = tables;
    this.nanoTime = nanoTime;
    database.history().onChange(histories::incrementAndGet);
  }

  @Override
  public Charge take(TenantRef tenant, List<NewTask> tasks) {
    long bytes = tasks.stream().mapToLong(task -> SafeText.utf8Length(StoredText.of(task))).sum();
    return leases
        .computeIfAbsent(tenant.number(), unused -> new PayloadLease(nanoTime, histories::get))
        .take(bytes, missing -> lease(tenant, missing), grant -> refusal(tenant, grant, bytes));
  }

  private Grant lease(TenantRef tenant, long bytes) {
    return database.transaction(
        "lease payloads of " + tenant.label(),
        session -> {
          tenant.confirm(session);
          return session
              .run(
                  BoundStatement.query(
                      LEASE_PAYLOAD.call(),
                      LEASE_PAYLOAD.on("lease_payload", tables.leasePayload()),
                      PayloadQuotas::grant,
                      tenant.number(),
                      bytes))
              .get(0);
        });
  }

  private static Grant grant(ResultSet row) throws SQLException {
    return new Grant(
        row.getLong(1),
        row.getLong(2),
        row.getLong(3),
        new Period(Objects.requireNonNullElse(row.getString(4), ""), row.getLong(5)),
        TimeUnit.MICROSECONDS.toNanos(row.getLong(6)));
  }

  private static RotaException refusal(TenantRef tenant, Grant grant, long bytes) {
    return new QuotaExceededException(
        "%s has used %d of at most %d bytes of payloads this %s, and has no room for %d more; wait for the next %s, or raise its quota with Limits.maxPayload or rota limit set --max-payload"
            .formatted(
                tenant.label(),
                grant.used(),
                grant.allowed(),
                grant.period().unit(),
                bytes,
                grant.period().unit()),
        tenant.state().name(),
        new QuotaExceededException.Use(LIMIT, grant.allowed(), grant.used()),
        Duration.ofNanos(grant.lastsNanos()));
  }

  /**
   * Gives back what is left. Used when no enqueue begins any more. A server in another history may
   * not know of the leases, and gets nothing back.
   */
  public void handBack() {
    int history = histories.get();
    List<Rest> rests =
        leases.entrySet().stream()
            .map(entry -> entry.getValue().takeRest(entry.getKey()))
            .filter(rest -> rest.bytes() > 0)
            .toList();
    if (!rests.isEmpty()) {
      boolean unused =
          database.transaction("return payloads", session -> giveBack(session, rests, history));
    }
  }

  private boolean giveBack(Session session, List<Rest> rests, int history) throws SQLException {
    if (histories.get() != history) {
      return false;
    }
    session.relyOn(() -> histories.get() == history);
    session.run(
        BoundStatement.query(
            RETURN_PAYLOAD.call(),
            RETURN_PAYLOAD.on("return_payload", tables.returnPayload()),
            row -> true,
            rests.stream().mapToInt(Rest::tenant).toArray(),
            rests.stream().map(rest -> rest.period().unit()).toArray(String[]::new),
            rests.stream().mapToLong(rest -> rest.period().began()).toArray(),
            rests.stream().mapToLong(Rest::bytes).toArray()));
    return true;
  }
}
