package dev.rota.admin.internal;

import dev.rota.admin.TenantStatus.Backlog;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BriefLook;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jooq.Name;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Counts pending and waiting tasks, but only where there may be some, and only as long as that is
 * cheap; else takes the server's estimates. Used by one thread, for one status.
 */
final class BacklogCounter {

  private static final Sql SIZE_BACKLOGS = Sql.named("size_backlogs");
  private static final Sql COUNT_BACKLOG = Sql.named("count_backlog");

  /** Up to this size a table is counted whatever the statistics say, since they lag behind. */
  private static final long SMALL = 128 * 1_024;

  private static final Duration ONE_TABLE = Duration.ofSeconds(2);
  private static final Duration ALL_TABLES = Duration.ofSeconds(15);
  private static final String WAIT = "task_wait_";

  private final Database database;
  private final String schema;
  private final long deadline = System.nanoTime() + ALL_TABLES.toNanos();

  private record Count(long tasks, Optional<Duration> oldest) {}

  /** A table; its bytes are empty while a session keeps readers out of it. */
  private record Size(String schema, String table, Optional<Long> bytes, long rows) {
    boolean mayHoldTasks() {
      return bytes.map(some -> some > 0 && (some <= SMALL || rows > 0)).orElse(true);
    }
  }

  BacklogCounter(Database database, RegistryTables tables) {
    this.database = database.withLockTimeout(ONE_TABLE).forReading(ONE_TABLE);
    this.schema = tables.schema();
  }

  /** The tables that may hold tasks, by tenant number: of all tenants, or of one. */
  Map<Integer, BacklogTables> find(Session session, @Nullable Integer tenant) throws SQLException {
    String number = tenant == null ? "([0-9]+)" : "(" + tenant + ")";
    Pattern schemaOfTenant = Pattern.compile(schema + "_" + number);
    Map<Integer, BacklogTables> found = new HashMap<>();
    for (Size size : session.run(sizes("^" + schemaOfTenant + "$"))) {
      Matcher matcher = schemaOfTenant.matcher(size.schema());
      if (matcher.matches() && size.mayHoldTasks()) {
        int owner = Integer.parseInt(matcher.group(1));
        add(found.computeIfAbsent(owner, BacklogTables::new), size);
      }
    }
    return found;
  }

  private static BoundStatement<List<Size>> sizes(String schemas) {
    return BoundStatement.query(
        SIZE_BACKLOGS,
        row ->
            new Size(
                row.getString(1),
                row.getString(2),
                Optional.ofNullable(row.getObject(3, Long.class)),
                row.getLong(4)),
        schemas);
  }

  private static void add(BacklogTables tables, Size size) {
    Name table = DSL.name(size.schema(), size.table());
    if (size.table().startsWith(WAIT)) {
      tables.addWaiting(table, size.rows());
    } else {
      tables.addSlot(table, size.rows());
    }
  }

  /** Counts, or estimates if counting takes too long, or tables are locked or gone. */
  Backlog count(BacklogTables tables) {
    if (System.nanoTime() - deadline > 0) {
      return tables.estimate();
    }
    String purpose = "count the tasks of " + tables.label();
    return BriefLook.at(database, purpose, session -> count(session, tables))
        .orElseGet(tables::estimate);
  }

  private static Backlog count(Session session, BacklogTables tables) throws SQLException {
    List<BoundStatement<Count>> counts =
        Stream.concat(tables.slots().stream(), tables.waiting().stream())
            .map(BacklogCounter::count)
            .toList();
    List<Count> counted = session.runAll(counts);
    int slots = tables.slots().size();
    List<Count> pending = counted.subList(0, slots);
    return new Backlog(
        sum(pending),
        sum(counted.subList(slots, counted.size())),
        true,
        pending.stream().flatMap(count -> count.oldest().stream()).max(Duration::compareTo));
  }

  private static BoundStatement<Count> count(Name table) {
    return BoundStatement.query(
            COUNT_BACKLOG.call(), COUNT_BACKLOG.on("table", table), BacklogCounter::read)
        .map(rows -> rows.get(0));
  }

  private static Count read(ResultSet row) throws SQLException {
    return new Count(
        row.getLong(1), Optional.ofNullable(row.getBigDecimal(2)).map(BacklogCounter::duration));
  }

  private static Duration duration(BigDecimal seconds) {
    BigDecimal whole = seconds.setScale(0, RoundingMode.FLOOR);
    return Duration.ofSeconds(
        whole.longValueExact(), seconds.subtract(whole).movePointRight(9).longValue());
  }

  private static long sum(List<Count> counts) {
    return counts.stream().mapToLong(Count::tasks).sum();
  }
}
