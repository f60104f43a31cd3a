package dev.rota.internal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.rota.TenantPolicy;
import dev.rota.UnknownTenantException;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TransactionBody;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jooq.types.DayToSecond;
import org.jspecify.annotations.Nullable;

/** Reads and changes what the registry says of single tenants. Thread-safe. */
final class Policies {

  static final Field<DayToSecond> KEEP_HISTORY =
      field(name("keep_history"), SQLDataType.INTERVALDAYTOSECOND);

  private final Engine engine;

  Policies(Engine engine) {
    this.engine = engine;
  }

  TenantPolicy read(TenantHandle tenant) {
    return on(
        "read the policy of " + tenant.label(), session -> read(session.dsl(), tenant, false));
  }

  /** One change after the other: the row of the tenant is locked. */
  TenantPolicy change(TenantHandle tenant, UnaryOperator<TenantPolicy> change) {
    return on("change the policy of " + tenant.label(), session -> change(session, tenant, change));
  }

  static TenantPolicy policy(@Nullable DayToSecond keepHistory) {
    TenantPolicy defaults = TenantPolicy.defaults();
    return keepHistory == null ? defaults : defaults.keepHistory(keepHistory.toDuration());
  }

  private TenantPolicy change(
      Session session, TenantHandle tenant, UnaryOperator<TenantPolicy> change)
      throws SQLException {
    DSLContext dsl = session.dsl();
    TenantPolicy next = change.apply(read(dsl, tenant, true));
    @Nullable Duration keepHistory = next.keepHistory().orElse(null);
    dsl.update(table(engine.tables().tenants()))
        .set(KEEP_HISTORY, keepHistory == null ? null : DayToSecond.valueOf(keepHistory))
        .where(TenantRegistry.NUMBER.eq(tenant.number()))
        .execute();
    return next;
  }

  private TenantPolicy read(DSLContext dsl, TenantHandle tenant, boolean locked) {
    var query =
        dsl.select(KEEP_HISTORY)
            .from(table(engine.tables().tenants()))
            .where(TenantRegistry.NUMBER.eq(tenant.number()));
    return (locked ? query.forNoKeyUpdate() : query)
        .fetch(row -> policy(row.value1())).stream()
            .findFirst()
            .orElseThrow(
                () ->
                    new UnknownTenantException(
                        tenant.label() + " is not in the registry any more"));
  }

  private <T> T on(String purpose, TransactionBody<T> body) {
    try {
      return engine.database().tryTransaction(purpose, body);
    } catch (SQLException e) {
      if (Errors.isMissingRegistry(e)) {
        throw Errors.schemaMissing(engine.tables().schema());
      }
      throw Errors.translate(purpose, e);
    }
  }
}
