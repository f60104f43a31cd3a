package dev.rota.admin.internal;

import dev.rota.UnknownTenantException;
import dev.rota.admin.DatabaseStatus;
import dev.rota.admin.DatabaseStatus.ArchiveTrouble;
import dev.rota.admin.DatabaseStatus.Leader;
import dev.rota.admin.DatabaseStatus.Server;
import dev.rota.admin.DatabaseStatus.SetAsideRows;
import dev.rota.admin.DatabaseStatus.Troubles;
import dev.rota.admin.TenantStatus;
import dev.rota.admin.TenantStatus.Backlog;
import dev.rota.admin.TenantStatus.Identity;
import dev.rota.admin.TenantStatus.Ring;
import dev.rota.admin.TenantStatus.Running;
import dev.rota.admin.TenantStatus.Segment;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowReader;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.text.SafeText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/** Reads the state of a database, at a cost that fits a system under load. Thread-safe. */
public final class StatusReader {

  private static final Sql READ_SERVER = Sql.named("read_server");
  private static final Sql READ_LEADER = Sql.named("read_leader");
  private static final Sql COUNT_LIVE_WORKERS = Sql.named("count_live_workers");
  private static final Sql READ_TENANTS = Sql.named("read_tenants");
  private static final Sql COUNT_RUNNING = Sql.named("count_running");
  private static final Sql READ_ROWS_SET_ASIDE = Sql.named("read_rows_set_aside");
  private static final Sql READ_ARCHIVE_TROUBLES = Sql.named("read_archive_troubles");
  private static final Sql READ_ERASURE_TROUBLES = Sql.named("read_erasure_troubles");

  private static final String PURPOSE = "read the status";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MOST_TROUBLES = 10;

  private static final Backlog NO_BACKLOG = new Backlog(0, 0, true, Optional.empty());
  private static final Running NOTHING_RUNS = new Running(0, 0);

  private final Database database;
  private final RegistryTables tables;
  private final int lockNamespace;
  private final Migration migration;

  /** What one transaction reads: all but the numbers of tasks, and where tasks may be. */
  private record Overview(DatabaseStatus status, Map<Integer, BacklogTables> backlogs) {}

  public StatusReader(
      Database database, RegistryTables tables, int lockNamespace, Migration migration) {
    this.database = database;
    this.tables = tables;
    this.lockNamespace = lockNamespace;
    this.migration = migration;
  }

  /** Of all tenants, or of the one of this name. */
  DatabaseStatus read(@Nullable String tenant) {
    if (tenant != null && TaskValidator.indexOfUnstorable(tenant) >= 0) {
      throw unknown(tenant);
    }
    BacklogCounter counter = new BacklogCounter(database, tables);
    Overview overview = overview(counter, tenant);
    DatabaseStatus status = overview.status();
    if (tenant != null && status.tenants().isEmpty()) {
      throw unknown(tenant);
    }
    List<TenantStatus> counted =
        status.tenants().stream()
            .map(each -> withBacklog(each, backlog(counter, overview, each)))
            .toList();
    return new DatabaseStatus(
        status.server(), status.leader(), status.liveWorkers(), counted, status.troubles());
  }

  private static UnknownTenantException unknown(String tenant) {
    return new UnknownTenantException(
        "no tenant is called " + SafeText.of(tenant) + "; see rota tenant list");
  }

  private static Backlog backlog(BacklogCounter counter, Overview overview, TenantStatus tenant) {
    BacklogTables filled = overview.backlogs().get(tenant.identity().number());
    return filled == null ? NO_BACKLOG : counter.count(filled);
  }

  private static TenantStatus withBacklog(TenantStatus tenant, Backlog backlog) {
    return new TenantStatus(
        tenant.identity(), backlog, tenant.running(), tenant.ring(), tenant.segment());
  }

  /** Without tenants. */
  public DatabaseStatus readSummary() {
    return reading(session -> status(session, List.of(), null));
  }

  private Overview overview(BacklogCounter counter, @Nullable String tenant) {
    return reading(session -> overview(session, counter, tenant));
  }

  private <T> T reading(TransactionBody<T> work) {
    try {
      return database.withLockTimeout(TIMEOUT).forReading(TIMEOUT).tryTransaction(PURPOSE, work);
    } catch (SQLException e) {
      if (SqlErrors.isMissingRegistry(e)) {
        throw SqlErrors.schemaMissing(tables.schema());
      }
      throw SqlErrors.translate(PURPOSE, e);
    }
  }

  private Overview overview(Session session, BacklogCounter counter, @Nullable String tenant)
      throws SQLException {
    List<TenantStatus> tenants = tenants(session, tenant);
    Integer only = tenants.size() == 1 ? tenants.get(0).identity().number() : null;
    return new Overview(status(session, tenants, tenant), counter.find(session, only));
  }

  private DatabaseStatus status(
      Session session, List<TenantStatus> tenants, @Nullable String tenant) throws SQLException {
    return new DatabaseStatus(
        server(session),
        leader(session),
        liveWorkers(session),
        tenants,
        new Troubles(setAside(session, tenant), archiveTroubles(session, tenant)));
  }

  private List<TenantStatus> tenants(Session session, @Nullable String tenant) throws SQLException {
    Map<Integer, Running> running = running(session);
    Map<String, Name> places = Map.of("tenants", tables.tenants(), "segments", tables.segments());
    return query(session, READ_TENANTS, places, row -> tenant(row, running), tenant, tenant);
  }

  private static TenantStatus tenant(ResultSet row, Map<Integer, Running> running)
      throws SQLException {
    int number = row.getInt(1);
    return new TenantStatus(
        new Identity(number, row.getString(2), row.getBoolean(3), row.getBoolean(11)),
        NO_BACKLOG,
        running.getOrDefault(number, NOTHING_RUNS),
        new Ring(
            instant(row, 4), row.getLong(5), row.getLong(6), Optional.ofNullable(row.getString(7))),
        new Segment(row.getInt(8), instant(row, 9).orElseThrow(), row.getInt(10)));
  }

  /** What workers hold, by tenant; nothing of the others. */
  public Map<Integer, Running> running(Session session) throws SQLException {
    return query(
            session,
            COUNT_RUNNING,
            Map.of("ledger", tables.ledgerView()),
            row -> Map.entry(row.getInt(1), new Running(row.getLong(2), row.getLong(3))))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private Server server(Session session) throws SQLException {
    Optional<String> schemaVersion = migration.version(session);
    return query(
            session,
            READ_SERVER,
            Map.of(),
            row -> new Server(instant(row, 1).orElseThrow(), row.getString(2), schemaVersion))
        .get(0);
  }

  private Optional<Leader> leader(Session session) throws SQLException {
    return query(
            session,
            READ_LEADER,
            Map.of(),
            row ->
                new Leader(
                    row.getInt(1),
                    Optional.ofNullable(row.getString(2)),
                    Optional.ofNullable(row.getString(3)),
                    instant(row, 4)),
            (long) lockNamespace,
            (long) DaemonWatch.LEADER)
        .stream()
        .findFirst();
  }

  private int liveWorkers(Session session) throws SQLException {
    return query(
            session, COUNT_LIVE_WORKERS, Map.of("workers", tables.workers()), row -> row.getInt(1))
        .get(0);
  }

  private List<SetAsideRows> setAside(Session session, @Nullable String tenant)
      throws SQLException {
    return query(
        session,
        READ_ROWS_SET_ASIDE,
        Map.of("set_aside", tables.setAside(), "tenants", tables.tenants()),
        row ->
            new SetAsideRows(
                row.getString(1),
                row.getLong(2),
                row.getLong(3),
                instant(row, 4).orElseThrow(),
                row.getString(5)),
        tenant,
        tenant,
        MOST_TROUBLES);
  }

  private List<ArchiveTrouble> archiveTroubles(Session session, @Nullable String tenant)
      throws SQLException {
    List<ArchiveTrouble> ofSegments =
        query(
            session,
            READ_ARCHIVE_TROUBLES,
            Map.of("archive", tables.archive(), "tenants", tables.tenants()),
            row ->
                new ArchiveTrouble(
                    row.getInt(1),
                    "segment " + row.getInt(3) + " of " + label(row),
                    row.getString(4)),
            tenant,
            tenant,
            MOST_TROUBLES);
    List<ArchiveTrouble> ofErasures =
        query(
            session,
            READ_ERASURE_TROUBLES,
            Map.of("erasures", tables.erasures()),
            row ->
                new ArchiveTrouble(
                    row.getInt(1),
                    "late objects of erased tenant '%s' (%d)"
                        .formatted(row.getString(2), row.getInt(1)),
                    row.getString(3)),
            tenant,
            tenant,
            MOST_TROUBLES);
    return Stream.of(ofSegments, ofErasures).flatMap(List::stream).limit(MOST_TROUBLES).toList();
  }

  private static String label(ResultSet row) throws SQLException {
    @Nullable String name = row.getString(2);
    return name == null ? "tenant " + row.getInt(1) + ", which is gone" : "tenant '" + name + "'";
  }

  private static <T> List<T> query(
      Session session,
      Sql statement,
      Map<String, Name> places,
      RowReader<T> reader,
      @Nullable Object... binds)
      throws SQLException {
    return session.run(BoundStatement.query(statement.call(), statement.on(places), reader, binds));
  }

  private static Optional<Instant> instant(ResultSet row, int column) throws SQLException {
    return Optional.ofNullable(row.getObject(column, OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }
}
