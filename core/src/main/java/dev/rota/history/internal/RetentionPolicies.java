package dev.rota.history.internal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.rota.UnknownTenantException;
import dev.rota.history.RetentionPolicy;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.SQLDataType;
import org.jooq.types.DayToSecond;
import org.jspecify.annotations.Nullable;

/** Reads and changes the retention policies of tenants in the registry. Thread-safe. */
public final class RetentionPolicies {

  private static final Field<DayToSecond> KEEP_HISTORY = interval("keep_history");
  private static final Field<DayToSecond> KEEP_ARCHIVE = interval("keep_archive");
  private static final Field<DayToSecond> SEGMENT_AGE = interval("segment_age");
  private static final Field<Boolean> ARCHIVE = field(name("archive"), Boolean.class);
  private static final Field<Boolean> LEGAL_HOLD = field(name("legal_hold"), Boolean.class);
  private static final Field<Long> SEGMENT_BYTES = field(name("segment_bytes"), Long.class);

  /** The columns of a policy in the registry. */
  public static final List<Field<?>> COLUMNS =
      List.of(KEEP_HISTORY, ARCHIVE, KEEP_ARCHIVE, LEGAL_HOLD, SEGMENT_AGE, SEGMENT_BYTES);

  private final Database database;
  private final RegistryTables tables;

  public RetentionPolicies(Database database, RegistryTables tables) {
    this.database = database;
    this.tables = tables;
  }

  public RetentionPolicy read(TenantRef tenant) {
    return on(
        "read the policy of " + tenant.label(), session -> read(session.dsl(), tenant, false));
  }

  /** Changes a policy. The lock on the tenant's row serializes changes. */
  public RetentionPolicy change(TenantRef tenant, UnaryOperator<RetentionPolicy> change) {
    return on("change the policy of " + tenant.label(), session -> change(session, tenant, change));
  }

  /** Reads the policy from a row that has these columns. */
  public static RetentionPolicy policy(Record row) {
    RetentionPolicy policy = RetentionPolicy.defaults().legalHold(row.get(LEGAL_HOLD));
    policy = with(policy, duration(row.get(KEEP_HISTORY)), RetentionPolicy::keepHistory);
    policy = with(policy, row.get(ARCHIVE), RetentionPolicy::archive);
    policy = with(policy, duration(row.get(KEEP_ARCHIVE)), RetentionPolicy::keepArchive);
    policy = with(policy, duration(row.get(SEGMENT_AGE)), RetentionPolicy::segmentAge);
    return with(policy, row.get(SEGMENT_BYTES), RetentionPolicy::segmentBytes);
  }

  private static <T> RetentionPolicy with(
      RetentionPolicy policy,
      @Nullable T setting,
      BiFunction<RetentionPolicy, T, RetentionPolicy> change) {
    return setting == null ? policy : change.apply(policy, setting);
  }

  private static @Nullable Duration duration(@Nullable DayToSecond interval) {
    return interval == null ? null : interval.toDuration();
  }

  private static @Nullable DayToSecond interval(Optional<Duration> duration) {
    return duration.map(DayToSecond::valueOf).orElse(null);
  }

  private static Field<DayToSecond> interval(String column) {
    return field(name(column), SQLDataType.INTERVALDAYTOSECOND);
  }

  private RetentionPolicy change(
      Session session, TenantRef tenant, UnaryOperator<RetentionPolicy> change)
      throws SQLException {
    DSLContext dsl = session.dsl();
    RetentionPolicy next = change.apply(read(dsl, tenant, true));
    dsl.update(table(tables.tenants()))
        .set(KEEP_HISTORY, interval(next.keepHistory()))
        .set(ARCHIVE, next.archive().orElse(null))
        .set(KEEP_ARCHIVE, interval(next.keepArchive()))
        .set(LEGAL_HOLD, next.legalHold())
        .set(SEGMENT_AGE, interval(next.segmentAge()))
        .set(SEGMENT_BYTES, next.segmentBytes().orElse(null))
        .where(TenantRegistry.NUMBER.eq(tenant.number()))
        .execute();
    return next;
  }

  private RetentionPolicy read(DSLContext dsl, TenantRef tenant, boolean locked) {
    var query =
        dsl.select(COLUMNS)
            .from(table(tables.tenants()))
            .where(TenantRegistry.NUMBER.eq(tenant.number()));
    return (locked ? query.forNoKeyUpdate() : query)
        .fetch(RetentionPolicies::policy).stream()
            .findFirst()
            .orElseThrow(
                () -> new UnknownTenantException(tenant.label() + " is no longer in the registry"));
  }

  private <T> T on(String purpose, TransactionBody<T> body) {
    try {
      return database.tryTransaction(purpose, body);
    } catch (SQLException e) {
      if (SqlErrors.isMissingRegistry(e)) {
        throw SqlErrors.schemaMissing(tables.schema());
      }
      throw SqlErrors.translate(purpose, e);
    }
  }
}
