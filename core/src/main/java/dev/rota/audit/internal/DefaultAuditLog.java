package dev.rota.audit.internal;

import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditEntry.Result;
import dev.rota.audit.AuditEntry.Times;
import dev.rota.audit.AuditLog;
import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditState;
import dev.rota.audit.AuditedAction;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.KnownTenants;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.ErrorText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Default implementation of {@link AuditLog}, over the table {@code audit} of the registry. */
public final class DefaultAuditLog implements AuditLog {

  private static final Sql BEGIN_AUDITED = Sql.named("begin_audited");
  private static final Sql NOTE_PROGRESS = Sql.named("note_progress");
  private static final Sql END_AUDITED = Sql.named("end_audited");
  private static final Sql REQUEST_STOP = Sql.named("request_stop");
  private static final Sql LIST_AUDITED = Sql.named("list_audited");
  private static final Sql LIST_AUDITED_OF_TENANT = Sql.named("list_audited_of_tenant");
  private static final Sql FIND_AUDITED = Sql.named("find_audited");

  /** The states by the numbers that stand for them in the table. */
  private static final List<AuditState> CODES =
      List.of(AuditState.RUNNING, AuditState.DONE, AuditState.STOPPED, AuditState.FAILED);

  private static final String WRITE = "write the audit";
  private static final String READ = "read the audit";

  private final Runnable ensureOpen;
  private final Database database;
  private final TenantRegistry registry;
  private final RegistryCalls calls;

  public DefaultAuditLog(Runnable ensureOpen, Database database, TenantRegistry registry) {
    this.ensureOpen = ensureOpen;
    this.database = database;
    this.registry = registry;
    this.calls = new RegistryCalls(registry.tables());
  }

  @Override
  public long begin(AuditedAction action) {
    @Nullable Integer tenant =
        action.tenant().map(name -> KnownTenants.of(registry, name)).orElse(null);
    @Nullable Long counted = action.counted().isPresent() ? action.counted().getAsLong() : null;
    return run(
            WRITE,
            calls.query(
                BEGIN_AUDITED,
                row -> row.getLong(1),
                tenant,
                ErrorText.cut(action.actor()),
                ErrorText.cut(action.action()),
                ErrorText.cut(action.about()),
                counted))
        .get(0);
  }

  @Override
  public boolean progress(long id, long tasks) {
    List<Boolean> stop =
        run(WRITE, calls.query(NOTE_PROGRESS, row -> row.getBoolean(1), tasks, id));
    return !stop.isEmpty() && !stop.get(0);
  }

  @Override
  public void end(long id, Result result) {
    if (result.state() == AuditState.RUNNING) {
      throw new IllegalArgumentException("an action that ended is not running; tell how it ended");
    }
    int unused =
        run(
            WRITE,
            calls.update(
                END_AUDITED,
                CODES.indexOf(result.state()),
                result.tasks(),
                ErrorText.cut(result.detail()),
                id));
  }

  @Override
  public boolean requestStop(long id) {
    return run(WRITE, calls.update(REQUEST_STOP, id)) > 0;
  }

  @Override
  public Optional<AuditEntry> find(long id) {
    return run(READ, calls.query(FIND_AUDITED, DefaultAuditLog::entry, id)).stream().findFirst();
  }

  @Override
  public List<AuditEntry> list(AuditQuery query) {
    return run(
        READ,
        query.tenant().isEmpty()
            ? calls.query(LIST_AUDITED, DefaultAuditLog::entry, query.before(), query.limit())
            : calls.query(
                LIST_AUDITED_OF_TENANT,
                DefaultAuditLog::entry,
                KnownTenants.of(registry, query.tenant().orElseThrow()),
                query.before(),
                query.limit()));
  }

  private <T> T run(String purpose, BoundStatement<T> statement) {
    ensureOpen.run();
    return database.transaction(purpose, session -> session.run(statement));
  }

  private static AuditEntry entry(ResultSet row) throws SQLException {
    long counted = row.getLong(3);
    OptionalLong expected = row.wasNull() ? OptionalLong.empty() : OptionalLong.of(counted);
    return new AuditEntry(
        row.getLong(1),
        new AuditedAction(
            row.getString(7),
            row.getString(8),
            Optional.ofNullable(row.getString(2)),
            row.getString(9),
            expected),
        new Times(
            time(row.getObject(11, OffsetDateTime.class)),
            Optional.ofNullable(row.getObject(12, OffsetDateTime.class)).map(DefaultAuditLog::time),
            Duration.of(row.getLong(13), ChronoUnit.MICROS)),
        new Result(CODES.get(row.getInt(5)), row.getLong(4), row.getBoolean(6), row.getString(10)));
  }

  private static Instant time(OffsetDateTime time) {
    return time.toInstant();
  }
}
