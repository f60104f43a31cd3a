package dev.rota.cli.status;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.rota.cli.status.TenantStatus.Depth;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.Record1;
import org.jooq.Record2;
import org.jooq.Record4;
import org.jooq.Result;
import org.jooq.Select;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Counts pending and waiting tasks exactly, but only where there may be some, and only as long as
 * that is cheap; else the server's own counters must do.
 */
final class DepthReader {

  /** Up to this size a table is counted whatever the statistics say, since they lag behind. */
  private static final long SMALL = 128 * 1_024;

  private static final int CATALOG_SECONDS = 10;
  private static final int TABLE_SECONDS = 2;
  private static final Duration ALL_TABLES = Duration.ofSeconds(15);
  private static final String QUERY_CANCELED = "57014";
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final Pattern WAIT = Pattern.compile("task_wait_.*");

  private static final Field<String> SCHEMA_NAME = field("n.nspname::text", String.class);
  private static final Field<String> TABLE_NAME = field("c.relname::text", String.class);
  private static final Field<Long> BYTES = field("pg_relation_size(c.oid)", Long.class);
  private static final Field<Long> LIVE = field("pg_stat_get_live_tuples(c.oid)", Long.class);
  private static final Field<OffsetDateTime> CREATED_AT =
      field(name("created_at"), OffsetDateTime.class);
  private static final Field<Integer> COUNT = DSL.count();
  private static final Field<Double> OLDEST =
      field(
          "extract(epoch from now() - min(created_at) filter (where isfinite(created_at)))::float8",
          Double.class);

  private final DSLContext context;
  private final String schema;
  private final long deadline = System.nanoTime() + ALL_TABLES.toNanos();

  DepthReader(DSLContext context, String schema) {
    this.context = context;
    this.schema = schema;
  }

  /** What may hold tasks, by tenant number: of all tenants, or of one. */
  Map<Integer, Backlog> backlogs(@Nullable Integer tenant) {
    String number = tenant == null ? "([0-9]+)" : "(" + tenant + ")";
    Pattern tenantSchema = Pattern.compile(schema + "_" + number);
    Map<Integer, Backlog> backlogs = new HashMap<>();
    for (Record4<String, String, Long, Long> row : tables("^" + schema + "_" + number + "$")) {
      Matcher matcher = tenantSchema.matcher(row.value1());
      if (matcher.matches() && mayHoldTasks(row.value3(), row.value4())) {
        int owner = Integer.parseInt(matcher.group(1));
        add(backlogs.computeIfAbsent(owner, n -> new Backlog()), row);
      }
    }
    return backlogs;
  }

  /** Counts, or estimates if counting takes too long or the tables are locked. */
  Depth depth(Backlog backlog) {
    if (System.nanoTime() > deadline) {
      return backlog.estimate();
    }
    try {
      return exact(backlog);
    } catch (DataAccessException e) {
      SQLException cause = e.getCause(SQLException.class);
      String state = cause == null ? "" : String.valueOf(cause.getSQLState());
      if (state.equals(QUERY_CANCELED) || state.equals(LOCK_NOT_AVAILABLE)) {
        return backlog.estimate();
      }
      throw e;
    }
  }

  private Result<Record4<String, String, Long, Long>> tables(String schemas) {
    return context
        .select(SCHEMA_NAME, TABLE_NAME, BYTES, LIVE)
        .from("pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace")
        .where("c.relkind = 'r'")
        .and("n.nspname ~ {0}", DSL.val(schemas))
        .and("c.relname ~ '^task_(init|wait)_'")
        .queryTimeout(CATALOG_SECONDS)
        .fetch();
  }

  private static boolean mayHoldTasks(@Nullable Long bytes, @Nullable Long live) {
    if (bytes == null || bytes == 0) {
      return false;
    }
    return bytes <= SMALL || live == null || live > 0;
  }

  private static void add(Backlog backlog, Record4<String, String, Long, Long> row) {
    Name table = name(row.value1(), row.value2());
    if (WAIT.matcher(row.value2()).matches()) {
      backlog.addWait(table, row.value4());
    } else {
      backlog.addRing(table, row.value4());
    }
  }

  private Depth exact(Backlog backlog) {
    Record2<Integer, Double> ring = countTables(backlog.ring());
    Record2<Integer, Double> wait = countTables(backlog.waiting());
    return new Depth(
        ring == null ? 0 : ring.value1(),
        wait == null ? 0 : wait.value1(),
        0,
        ring == null ? null : ring.value2(),
        true);
  }

  private @Nullable Record2<Integer, Double> countTables(List<Name> tables) {
    return tables.stream()
        .<Select<Record1<OffsetDateTime>>>map(table -> select(CREATED_AT).from(table(table)))
        .reduce(Select::unionAll)
        .map(rows -> context.select(COUNT, OLDEST).from(rows.asTable("rows")))
        .map(query -> query.queryTimeout(TABLE_SECONDS).fetchSingle())
        .orElse(null);
  }
}
