package dev.rota.insight.internal;

import dev.rota.admin.internal.StatusReader;
import dev.rota.insight.internal.BacklogSample.Counters;
import dev.rota.insight.internal.BacklogSample.Entry;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Samples the counters of all tenants. It knows their tables by number, and looks for newer ones
 * when a tenant made some, and every minute: a restore makes all of them anew. It forgets those
 * that are gone every half hour, for a look at all of them takes long. Used under the lock of its
 * owner.
 */
final class BacklogSampler {

  private static final Sql LIST_TENANTS_WITH_TABLES = Sql.named("list_tenants_with_tables");
  private static final Sql LIST_PARKED_TENANTS = Sql.named("list_parked_tenants");
  private static final Sql LIST_BACKLOG_TABLES = Sql.named("list_backlog_tables");
  private static final Sql READ_BACKLOG_COUNTERS = Sql.named("read_backlog_counters");
  private static final Sql READ_DIRECTLY = Sql.named("read_counters_directly");

  private static final long ALL_TABLES_NANOS = TimeUnit.MINUTES.toNanos(30);
  private static final long NEWER_TABLES_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PARKED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long MIX = 0x9E3779B97F4A7C15L;

  private final RegistryTables tables;
  private final StatusReader status;
  private final LongSupplier nanoTime;
  private final String schemas;
  private BacklogTables known = BacklogTables.NONE;
  private List<Entry> parked = List.of();
  private long signature;
  private int history = -1;
  private final PendingAges ages = new PendingAges();
  private long allTablesAt;
  private long newerTablesAt;
  private long parkedAt;

  /** The rings and wait tables of all tenants. */
  private record BacklogTables(TableList rings, TableList waiting) {

    static final BacklogTables NONE =
        new BacklogTables(new TableList(List.of()), new TableList(List.of()));

    long highest() {
      return Math.max(rings.highest(), waiting.highest());
    }

    BacklogTables with(List<Found> found) {
      return new BacklogTables(
          rings.with(found.stream().filter(each -> !each.waits).toList()),
          waiting.with(found.stream().filter(Found::waits).toList()));
    }
  }

  /** Tables by their numbers, and the tenants they belong to. */
  private static final class TableList {

    private final List<Found> all;
    private final long[] oids;

    TableList(List<Found> all) {
      this.all = all;
      this.oids = all.stream().mapToLong(Found::oid).toArray();
    }

    long highest() {
      return Arrays.stream(oids).max().orElse(0);
    }

    TableList with(List<Found> others) {
      return new TableList(Stream.concat(all.stream(), others.stream()).toList());
    }
  }

  private record Found(long oid, int tenant, boolean waits) {}

  /** A tenant with tables, and how many were made so far. */
  private record Active(Entry entry, long made) {}

  BacklogSampler(RegistryTables tables, StatusReader status, LongSupplier nanoTime) {
    this.tables = tables;
    this.status = status;
    this.nanoTime = nanoTime;
    this.schemas = tables.schema() + "_";
  }

  /**
   * Reads a sample.
   *
   * @param ofServer the number of the server's present history; numbers of tables are from one
   */
  BacklogSample read(Session session, int ofServer) throws SQLException {
    boolean isElsewhere = ofServer != history;
    List<Active> active = active(session);
    long present = active.stream().mapToLong(each -> each.made * MIX).sum();
    boolean areOthers = isElsewhere || present != signature;
    lookForTables(session, isElsewhere, areOthers);
    lookForParked(session, active, areOthers);
    signature = present;
    history = ofServer;
    long nanos = nanoTime.getAsLong();
    Read read = readCounters(session);
    return new BacklogSample(
        read.at,
        nanos,
        new BacklogSample.Tenants(active.stream().map(Active::entry).toList(), parked),
        counters(read, nanos),
        status.running(session));
  }

  private List<Active> active(Session session) throws SQLException {
    return session.run(
        BoundStatement.query(
            LIST_TENANTS_WITH_TABLES.call(),
            LIST_TENANTS_WITH_TABLES.on("tenants", tables.tenants()),
            BacklogSampler::active));
  }

  private static Active active(ResultSet row) throws SQLException {
    int number = row.getInt(1);
    long made = (number * 31L + row.getInt(4)) * 31 + row.getInt(5);
    Instant rotatedAt = row.getObject(6, OffsetDateTime.class).toInstant();
    return new Active(new Entry(number, row.getString(2), row.getBoolean(3), rotatedAt), made);
  }

  private void lookForTables(Session session, boolean isElsewhere, boolean areOthers)
      throws SQLException {
    long now = nanoTime.getAsLong();
    if (isElsewhere || now - allTablesAt > ALL_TABLES_NANOS) {
      known = BacklogTables.NONE.with(tablesAbove(session, 0));
      allTablesAt = now;
      newerTablesAt = now;
    } else if (areOthers || now - newerTablesAt > NEWER_TABLES_NANOS) {
      known = known.with(tablesAbove(session, known.highest()));
      newerTablesAt = now;
    }
  }

  private List<Found> tablesAbove(Session session, long oid) throws SQLException {
    return session.run(BoundStatement.query(LIST_BACKLOG_TABLES, this::found, oid)).stream()
        .filter(found -> found.tenant != 0)
        .toList();
  }

  /** A table of a tenant; that of another schema belongs to tenant 0. */
  private Found found(ResultSet row) throws SQLException {
    String schema = row.getString(2);
    String number = schema.startsWith(schemas) ? schema.substring(schemas.length()) : "";
    boolean isTenant = number.matches("[1-9][0-9]{0,8}");
    int tenant = isTenant ? Integer.parseInt(number) : 0;
    return new Found(row.getLong(1), tenant, row.getBoolean(3));
  }

  private void lookForParked(Session session, List<Active> active, boolean areOthers)
      throws SQLException {
    long now = nanoTime.getAsLong();
    if (areOthers || now - parkedAt > PARKED_NANOS) {
      Set<Integer> others =
          active.stream().map(each -> each.entry.number()).collect(Collectors.toSet());
      parked =
          session
              .run(
                  BoundStatement.query(
                      LIST_PARKED_TENANTS.call(),
                      LIST_PARKED_TENANTS.on("tenants", tables.tenants()),
                      row -> new Entry(row.getInt(1), row.getString(2), row.getBoolean(3), null)))
              .stream()
              .filter(each -> !others.contains(each.number()))
              .toList();
      parkedAt = now;
    }
  }

  /** The counters of all tables, in their order. */
  private record Read(Instant at, List<Long> pending, List<Long> inserted, List<Long> waiting) {}

  private Read readCounters(Session session) throws SQLException {
    session.prepend(BoundStatement.query(READ_DIRECTLY, row -> true));
    return session
        .run(
            BoundStatement.query(
                READ_BACKLOG_COUNTERS,
                row ->
                    new Read(
                        row.getObject(1, OffsetDateTime.class).toInstant(),
                        numbers(row, 2),
                        numbers(row, 3),
                        numbers(row, 4)),
                known.rings.oids,
                known.waiting.oids))
        .get(0);
  }

  private static List<Long> numbers(ResultSet row, int column) throws SQLException {
    return Arrays.asList((Long[]) row.getArray(column).getArray());
  }

  private Map<Integer, Counters> counters(Read read, long nanos) {
    Map<Integer, Counters> counters = new HashMap<>();
    Set<Long> busy = new HashSet<>();
    List<Found> rings = known.rings.all;
    for (int i = 0; i < rings.size(); i++) {
      Found ring = rings.get(i);
      long live = read.pending.get(i);
      long inserted = read.inserted.get(i);
      long age = Counters.NONE_PENDING;
      if (live > 0) {
        busy.add(ring.oid);
        age = ages.age(ring.oid, inserted, live, nanos);
      }
      Counters ofRing = new Counters(live, 0, inserted, inserted - live, age);
      counters.merge(ring.tenant, ofRing, Counters::plus);
    }
    List<Found> waiting = known.waiting.all;
    for (int i = 0; i < waiting.size(); i++) {
      Counters ofTable = new Counters(0, read.waiting.get(i), 0, 0, Counters.NONE_PENDING);
      counters.merge(waiting.get(i).tenant, ofTable, Counters::plus);
    }
    ages.keepOnly(busy);
    return counters;
  }

  /** Forgets what it knows, after a failure. */
  void forget() {
    history = -1;
  }
}
