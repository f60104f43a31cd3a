package dev.rota.internal.tenant;

import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rota.NewTask;
import dev.rota.UnknownTenantException;
import dev.rota.internal.db.Backends.ServerHistory;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantAllowances.Charge;
import dev.rota.internal.tenant.TenantAllowances.ChargeSource;
import dev.rota.internal.tenant.TenantAllowances.Room;
import dev.rota.internal.tenant.TenantAllowances.RoomSource;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.RegistryState;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record3;
import org.jooq.Result;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Caches the registry of tenants, and the number of the ledger's newest segment. Thread-safe.
 *
 * <p>Cached values are used at once; when they are older than the refresh interval one query renews
 * all of them in the background. No caller may rely on fresh values: a stale slot costs order only,
 * and a missing segment repeats the transaction after {@link #refresh()}. In another history of the
 * server a number may be that of another tenant, and lanes may be missing: see {@link
 * TenantRef#confirm}.
 */
public final class TenantRegistry {

  private static final Logger log = Logs.of(TenantRegistry.class);

  public static final Field<Integer> NUMBER = field(name("number"), Integer.class);
  public static final Field<String> NAME = field(name("name"), String.class);
  private static final Field<String> INDEXED_NAME = inIndex(NAME);
  public static final Field<Boolean> CLOSED = field(name("closed"), Boolean.class);
  private static final Field<OffsetDateTime> CREATED_AT =
      field(name("created_at"), OffsetDateTime.class);
  static final Field<OffsetDateTime> PARKED_AT = field(name("parked_at"), OffsetDateTime.class);
  private static final Field<OffsetDateTime> PARK_AT = field(name("park_at"), OffsetDateTime.class);
  private static final Field<Integer> TABLES_MADE = field(name("tables_made"), Integer.class);
  private static final Field<Integer> SEGMENT = field(name("current_segment"), Integer.class);
  private static final Field<Short[]> PRIORITIES = field(name("priorities"), Short[].class);
  private static final Field<Short[]> LANE_SLOTS = field(name("lane_slots"), Short[].class);
  private static final Field<Boolean> WIDE = field(name("wide"), Boolean.class);
  private static final Field<Boolean> QUOTA = field(name("quota"), Boolean.class);
  private static final Field<Boolean> PAYLOADS = field(name("payload_quota"), Boolean.class);
  private static final Field<Long> IDS_ABOVE = field(name("ids_above"), Long.class);

  /**
   * The identity of the database. A restored dump has other tables, also in a server that was not
   * restarted.
   */
  private static final Field<String> DATABASE =
      field(
          "(select oid from pg_catalog.pg_database where datname = current_database())"
              + " || '/' || max(tableoid::bigint)",
          String.class);

  private static final List<Field<?>> COLUMNS =
      List.of(
          NUMBER,
          NAME,
          CLOSED,
          CREATED_AT,
          PRIORITIES,
          LANE_SLOTS,
          WIDE,
          SEGMENT,
          PARKED_AT,
          PARK_AT,
          TABLES_MADE,
          QUOTA,
          PAYLOADS,
          IDS_ABOVE);

  private static final Field<Integer> SEQ = field(name("seq"), Integer.class);

  /** For a process that only enqueues: its role need not be allowed to read rules. */
  private static final Field<Long> NO_VERSION = DSL.inline(null, Long.class);

  static {
    // jOOQ loads hundreds of classes for its first statement. On a busy machine that takes longer
    // than a transaction with a short lease may be idle, so it happens before the first one begins.
    String unused = Sql.render(DSL.select(COLUMNS).from(table(name("tenant"))).where(NUMBER.eq(0)));
  }

  private record LedgerText(Sql statement, int segment) {}

  private final Database database;
  private final RegistryTables tables;
  private final Executor background;
  private final Field<Long> ruleVersion;
  private final Cache<String, TenantRef> byName =
      Caffeine.newBuilder().maximumSize(100_000).expireAfterAccess(Duration.ofMinutes(10)).build();
  // Weak: a handle in use is kept fresh, an unused one is forgotten.
  private final Cache<Integer, TenantRef> byNumber = Caffeine.newBuilder().weakValues().build();
  // More than statements on the ledger, times the segments that are in use.
  private final Cache<LedgerText, String> ledgerTexts =
      Caffeine.newBuilder().maximumSize(100).build();
  private final RegistryState shared;
  private final LongConsumer idsAbove;
  private volatile RuleVersions ruleVersions = RuleVersions.NONE;
  private volatile RoomSource rooms = (session, tenants) -> Map.of();
  private volatile ChargeSource charges = (tenant, tasks) -> failure -> {};
  private volatile boolean claims;
  private volatile int newestLedger;

  /** How often this process has changed a tenant. What was read before a change may be older. */
  private int changes;

  /**
   * Creates the registry of one database.
   *
   * @param idsAbove called with ids that imported tenants brought from other databases, before any
   *     caller gets these tenants
   */
  public TenantRegistry(
      Database database,
      RegistryTables tables,
      Duration refreshInterval,
      Executor background,
      LongConsumer idsAbove) {
    this.database = database;
    this.tables = tables;
    this.ruleVersion =
        field(DSL.select(field(name("version"), Long.class)).from(table(tables.ruleVersion())));
    this.shared = new RegistryState(refreshInterval);
    this.background = background;
    this.idsAbove = idsAbove;
  }

  /**
   * Sets what learns the version of the rules. A process that claims reads it together with the
   * newest segment of the ledger, before its first claim and with each refresh.
   */
  public void onRuleVersion(RuleVersions looks) {
    ruleVersions = looks;
  }

  /** Sets what knows the rooms of bounded tenants. */
  public void onEnqueue(RoomSource source) {
    rooms = source;
  }

  Map<Integer, Room> rooms(Session session, List<TenantRef> tenants) throws SQLException {
    return rooms.read(session, tenants);
  }

  /** Sets what knows the allowances of tenants. */
  public void onPayload(ChargeSource source) {
    charges = source;
  }

  Charge charge(TenantRef tenant, List<NewTask> tasks) {
    return charges.take(tenant, tasks);
  }

  /** The names of the tables that the registry reads. */
  public RegistryTables tables() {
    return tables;
  }

  /** The state that its tenants share. */
  RegistryState shared() {
    return shared;
  }

  /** Refuses further uses of tenants by callers; running work may still read the registry. */
  public void close() {
    shared.close();
  }

  /** Throws unless callers may use tenants. */
  public void ensureOpen() {
    shared.ensureOpen();
  }

  /** Renders a statement on a segment of the ledger, each once. */
  public String onLedger(Sql statement, int segment) {
    return ledgerTexts.get(
        new LedgerText(statement, segment),
        text -> text.statement.on("ledger", tables.ledger(text.segment)));
  }

  /** Finds a tenant by name. */
  public Optional<TenantRef> find(String tenant) {
    touch();
    TenantRef known = byName.getIfPresent(tenant);
    if (known != null && isKept(known)) {
      return Optional.of(known);
    }
    return load(isNamed(tenant)).stream().findFirst();
  }

  /** Finds the tenants of some names; names without a tenant are left out. */
  public Map<String, TenantRef> findAll(Collection<String> names) {
    touch();
    Map<String, TenantRef> found = new HashMap<>(byName.getAllPresent(names));
    found.values().removeIf(known -> !isKept(known));
    List<String> unknown = names.stream().filter(name -> !found.containsKey(name)).toList();
    if (!unknown.isEmpty()) {
      load(isNamed(unknown)).forEach(tenant -> found.put(tenant.state().name(), tenant));
    }
    return found;
  }

  /**
   * Whether {@link #refresh} keeps the state, or it is young enough. Another process may have given
   * the name of a parked tenant to another one.
   */
  private static boolean isKept(TenantRef known) {
    return !known.state().isParked() || known.isFresh();
  }

  /** A name as the indexes on names have it; in any other collation the server reads all rows. */
  static Field<String> inIndex(Field<String> name) {
    return name.collate(name("C"));
  }

  /** Compares as the index on names does. */
  static Condition isNamed(String tenant) {
    return INDEXED_NAME.eq(tenant);
  }

  /** Compares with one value for any number of names, so that the statement stays the same. */
  static Condition isNamed(Collection<String> names) {
    return INDEXED_NAME.eq(any(names.toArray(String[]::new)));
  }

  /** Returns a tenant by number. */
  public TenantRef get(int number) {
    touch();
    TenantRef known = byNumber.getIfPresent(number);
    return known != null && known.isPresent() ? known : only(load(NUMBER.eq(number)), number);
  }

  /** Returns a tenant by number, looked up on the caller's connection if needed. */
  public TenantRef get(Session session, int number) throws SQLException {
    TenantRef known = byNumber.getIfPresent(number);
    return known != null && known.isPresent() ? known : read(session, number);
  }

  /** Reads a tenant in this transaction, with every lane that a row of its tables may have. */
  public TenantRef read(Session session, int number) throws SQLException {
    return only(select(session, NUMBER.eq(number)), number);
  }

  /** Returns the numbers that exist, as visible to this transaction. */
  public Set<Integer> present(Session session, Set<Integer> numbers) throws SQLException {
    return select(session, NUMBER.in(numbers)).stream()
        .map(TenantRef::number)
        .collect(Collectors.toSet());
  }

  /** Returns the tenant with the lane of a priority, read on the caller's connection if needed. */
  public TenantRef get(Session session, int number, int priority) throws SQLException {
    TenantRef known = get(session, number);
    return known.state().lanes().find(priority).isPresent() ? known : read(session, number);
  }

  /** Reads the tenants that have tables from the database. */
  public List<TenantRef> loadAll() {
    return load(PARKED_AT.isNull());
  }

  /** Reads the tenants that have tables, and the ledger's newest segment, in this transaction. */
  public List<TenantRef> loadAll(Session session) throws SQLException {
    readNewestLedger(session);
    return select(session, PARKED_AT.isNull());
  }

  /**
   * Treats all cached values as unconfirmed: the server may be in another history, in which some of
   * them never became true.
   */
  public void forget() {
    shared.beginHistory();
    newestLedger = 0;
    byName.invalidateAll();
  }

  /** The number of the present history of the server, counted from 0 in this process. */
  public int history() {
    return shared.history();
  }

  /** Confirms a tenant in this transaction, and reads its state; see {@link TenantRef#confirm}. */
  public void confirm(Session session, TenantRef tenant) throws SQLException {
    confirm(tenant, select(session, NUMBER.eq(tenant.number())));
  }

  /** Confirms a tenant before it is used; see {@link TenantRef#confirm}. */
  void confirm(TenantRef tenant) {
    confirm(tenant, load(NUMBER.eq(tenant.number())));
  }

  private void confirm(TenantRef tenant, List<TenantRef> found) {
    TenantRef present =
        found.stream()
            .filter(other -> other.registeredAt().equals(tenant.registeredAt()))
            .findFirst()
            .orElseThrow(
                () ->
                    new UnknownTenantException(
                        tenant.label()
                            + " no longer exists: the database was restored to a time before its"
                            + " registration, or it was erased. Register it anew with"
                            + " Tenants.register(name)"));
    tenant.update(present.state(), present.readIn());
    tenant.readAt(System.nanoTime());
  }

  /**
   * The segment of the ledger into which claims write. It is looked up on the caller's connection
   * if needed: waiting for another one while holding this one could exhaust a pool.
   */
  public int newestLedger(Session session) throws SQLException {
    touch();
    int known = newestLedger;
    return known > 0 ? known : readNewestLedger(session);
  }

  /**
   * Lets a claim know rules that were the present ones a moment ago: it asks in this transaction if
   * no look of the process did lately.
   *
   * @throws SQLException if it cannot read them; nothing may be claimed then
   */
  public void ensureRecentRules(Session session) throws SQLException {
    claims = true;
    if (newestLedger == 0) {
      int unused = readNewestLedger(session);
    } else {
      ruleVersions.ensureRecent(session);
    }
  }

  /**
   * Renews all cached values now, except those of parked tenants: there may be a hundred thousand
   * of these. They are read again before they are used.
   */
  public void refresh() {
    shared.refreshed();
    read(
        "refresh the registry of tenants",
        session -> {
          readNewestLedger(session);
          Set<Integer> known = withTables();
          Set<Integer> found = new HashSet<>();
          for (TenantRef ref : select(session, NUMBER.in(known))) {
            found.add(ref.number());
          }
          known.removeAll(found);
          known.forEach(this::forget);
          return known.size();
        });
  }

  private Set<Integer> withTables() {
    return byNumber.asMap().values().stream()
        .filter(tenant -> !tenant.state().isParked())
        .map(TenantRef::number)
        .collect(Collectors.toSet());
  }

  /** Makes a change by this process visible here at once. */
  public void changed(String oldName) {
    TenantRef changed = forgetName(oldName);
    if (changed != null && changed.state().isParked()) {
      List<TenantRef> unused = load(NUMBER.eq(changed.number()));
    }
    refresh();
  }

  private synchronized @Nullable TenantRef forgetName(String oldName) {
    changes++;
    TenantRef changed = byName.getIfPresent(oldName);
    byName.invalidate(oldName);
    return changed;
  }

  private void touch() {
    if (shared.isStale()) {
      refreshInBackground();
    }
  }

  void refreshInBackground() {
    background.execute(this::refreshQuietly);
  }

  private static TenantRef only(List<TenantRef> found, int number) {
    return found.stream()
        .findFirst()
        .orElseThrow(
            () -> new UnknownTenantException("tenant number " + number + " no longer exists"));
  }

  private void refreshQuietly() {
    try {
      refresh();
    } catch (RuntimeException e) {
      // The cached values stay in use; the next use tries again.
      log.warn("Rota could not refresh its registry of tenants: {}", e.getMessage());
    }
  }

  private List<TenantRef> load(Condition condition) {
    return read("read the registry of tenants", session -> select(session, condition));
  }

  private List<TenantRef> select(Session session, Condition condition) throws SQLException {
    while (true) {
      int history = shared.history();
      int before = changes();
      long startedAt = System.nanoTime();
      Result<?> rows =
          session
              .dsl()
              .select(COLUMNS)
              .from(table(tables.tenants()))
              .where(condition)
              .orderBy(NUMBER)
              .fetch();
      // The first statement of a transaction tells which history it is in.
      if (history == shared.history()) {
        List<TenantRef> found = remember(rows, history, before);
        if (found != null) {
          found.forEach(tenant -> tenant.readAt(startedAt));
          return found;
        }
      }
    }
  }

  private synchronized int changes() {
    return changes;
  }

  /** Remembers rows; null if this process has changed a tenant since they were read. */
  private synchronized @Nullable List<TenantRef> remember(
      Result<?> rows, int history, int changesBefore) {
    return changes == changesBefore
        ? rows.stream().map(row -> remember(row, history)).toList()
        : null;
  }

  private TenantRef remember(Record row, int history) {
    Long brought = row.get(IDS_ABOVE);
    if (brought != null) {
      idsAbove.accept(brought);
    }
    return remember(state(row), row.get(CREATED_AT).toInstant(), history);
  }

  private static TenantRef.State state(Record row) {
    PriorityLanes lanes = PriorityLanes.of(row.get(PRIORITIES), row.get(LANE_SLOTS), row.get(WIDE));
    TenantRef.Relations relations =
        new TenantRef.Relations(
            row.get(SEGMENT),
            row.get(PARKED_AT) != null,
            row.get(PARK_AT) != null,
            row.get(TABLES_MADE),
            new TenantRef.Bounds(row.get(QUOTA), row.get(PAYLOADS)));
    return new TenantRef.State(row.get(NUMBER), row.get(NAME), row.get(CLOSED), lanes, relations);
  }

  private TenantRef remember(TenantRef.State state, Instant registeredAt, int history) {
    TenantRef ref =
        byNumber
            .asMap()
            .compute(
                state.number(),
                (number, known) ->
                    known != null && known.registeredAt().equals(registeredAt)
                        ? known
                        : new TenantRef(this, registeredAt, state, history));
    String oldName = ref.state().name();
    ref.update(state, history);
    if (!oldName.equals(state.name())) {
      byName.asMap().remove(oldName, ref);
    }
    byName.put(state.name(), ref);
    return ref;
  }

  /** Forgets a tenant that is gone, or that this process has changed: its next use reads it. */
  public synchronized void forget(int number) {
    changes++;
    TenantRef gone = byNumber.getIfPresent(number);
    if (gone != null) {
      byName.asMap().remove(gone.state().name(), gone);
      byNumber.invalidate(number);
    }
  }

  private int readNewestLedger(Session session) throws SQLException {
    RuleVersions.Look look = ruleVersions.begin();
    Record3<Integer, String, Long> found =
        session
            .dsl()
            .select(max(SEQ), DATABASE, claims ? ruleVersion : NO_VERSION)
            .from(table(tables.ledgerSegments()))
            .fetchSingle();
    Integer newest = found.value1();
    if (newest == null) {
      newestLedger = 0;
      throw SqlErrors.schemaMissing(tables.schema());
    }
    // It forgets what was read in another history.
    session.witness(ServerHistory.Witness.DATABASE, found.value2());
    newestLedger = newest;
    if (found.value3() != null) {
      look.found(session, found.value3());
    }
    return newest;
  }

  private <T> T read(String purpose, TransactionBody<T> body) {
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
