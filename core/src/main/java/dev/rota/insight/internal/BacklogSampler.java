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
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Samples the counters of all tenants. It knows their tables by number, and looks for other ones
 * when a tenant made some, and every minute: a restore makes all of them anew. Used under the lock
 * of its owner.
 */
final class BacklogSampler {

  private static final Sql LIST_TENANTS_WITH_TABLES = Sql.named("list_tenants_with_tables");
  private static final Sql LIST_PARKED_TENANTS = Sql.named("list_parked_tenants");
  private static final Sql LIST_BACKLOG_TABLES = Sql.named("list_backlog_tables");
  private static final Sql READ_BACKLOG_COUNTERS = Sql.named("read_backlog_counters");

  private static final long TABLES_NANOS = TimeUnit.SECONDS.toNanos(60);
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
  private long tablesAt;
  private long parkedAt;

  /** The tables of all tenants, with the number of the tenant, negative for wait tables. */
  private static final class BacklogTables {

    static final BacklogTables NONE = new BacklogTables(new long[0], new int[0]);

    private final long[] oids;
    private final int[] tenants;

    private BacklogTables(long[] oids, int[] tenants) {
      this.oids = oids;
      this.tenants = tenants;
    }

    long highest() {
      return Arrays.stream(oids).max().orElse(0);
    }

    BacklogTables with(List<Found> found) {
      long[] allOids = Arrays.copyOf(oids, oids.length + found.size());
      int[] allTenants = Arrays.copyOf(tenants, oids.length + found.size());
      for (int i = 0; i < found.size(); i++) {
        allOids[oids.length + i] = found.get(i).oid;
        allTenants[oids.length + i] = found.get(i).tenant;
      }
      return new BacklogTables(allOids, allTenants);
    }
  }

  private record Found(long oid, int tenant) {}

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
    Map<Integer, Counters> counters = new HashMap<>();
    long clock = counters(session, counters);
    return new BacklogSample(
        Instant.EPOCH.plus(clock, ChronoUnit.MICROS),
        nanoTime.getAsLong(),
        new BacklogSample.Tenants(active.stream().map(Active::entry).toList(), parked),
        counters,
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
    if (isElsewhere || now - tablesAt > TABLES_NANOS) {
      known = BacklogTables.NONE.with(tablesAbove(session, 0));
      tablesAt = now;
    } else if (areOthers) {
      known = known.with(tablesAbove(session, known.highest()));
    }
  }

  private List<Found> tablesAbove(Session session, long oid) throws SQLException {
    return session.run(BoundStatement.query(LIST_BACKLOG_TABLES, this::found, oid)).stream()
        .filter(found -> found.tenant != 0)
        .toList();
  }

  /** The table of a tenant; that of another schema belongs to tenant 0. */
  private Found found(ResultSet row) throws SQLException {
    String schema = row.getString(2);
    String number = schema.startsWith(schemas) ? schema.substring(schemas.length()) : "";
    boolean isTenant = number.matches("[1-9][0-9]{0,8}");
    int tenant = isTenant ? Integer.parseInt(number) : 0;
    return new Found(row.getLong(1), row.getBoolean(3) ? -tenant : tenant);
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

  /** Reads the counters; returns the clock, in microseconds since 1970. */
  private long counters(Session session, Map<Integer, Counters> into) throws SQLException {
    List<Long> clock =
        session.run(
            BoundStatement.query(
                READ_BACKLOG_COUNTERS,
                row -> {
                  Counters read =
                      new Counters(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5));
                  int tenant = row.getInt(1);
                  if (tenant != 0) {
                    into.put(tenant, read);
                  }
                  return tenant == 0 ? read.pending() : 0;
                },
                known.oids,
                known.tenants));
    return clock.stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** Forgets what it knows, after a failure. */
  void forget() {
    history = -1;
  }
}
