package dev.rota.benchmarks.load;

import java.math.BigDecimal;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.impl.DSL;

/** The runner's own queries of the server, independent of the library. Used by one thread. */
final class ServerProbe {

  /** The bytes of log since the server was created. */
  private static final String LOG_POSITION =
      "select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), '0/0')";

  /**
   * The sizes of tables by their purpose; a table dropped meanwhile has no size. Rings and history
   * have no indexes: including those as well would take several times as long.
   */
  private static final String SIZES =
      """
      select coalesce(sum(bytes) filter (where part = 1), 0)::bigint,
             coalesce(sum(bytes) filter (where part = 2), 0)::bigint,
             coalesce(sum(total) filter (where part = 3), 0)::bigint,
             coalesce(sum(total) filter (where part = 4), 0)::bigint
        from (select part,
                     case when part < 3
                          then pg_catalog.pg_relation_size(oid)
                               + coalesce(pg_catalog.pg_relation_size(toast), 0) end as bytes,
                     case when part > 2 then pg_catalog.pg_total_relation_size(oid) end as total
                from (select c.oid,
                             nullif(c.reltoastrelid, 0) as toast,
                             case when n.nspname = 'pg_catalog' then 4
                                  when n.nspname = {1} and c.relname ^@ 'task_batch_' then 3
                                  when n.nspname ^@ {0} and c.relname ^@ 'task_hist_' then 2
                                  when n.nspname ^@ {0} and c.relname ^@ 'task_init_' then 1
                             end as part
                        from pg_catalog.pg_class c
                        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                       where c.relkind = 'r') tables
               where part is not null) sizes""";

  private final DSLContext context;
  private final String schema;

  ServerProbe(DSLContext context, String schema) {
    this.context = context;
    this.schema = schema;
  }

  String version() {
    return setting("server_version").split(" ", 2)[0];
  }

  /** Whether an acknowledged commit survives a crash of the machine, by the server's settings. */
  boolean durable() {
    return setting("fsync").equals("on")
        && setting("full_page_writes").equals("on")
        && !setting("synchronous_commit").equals("off");
  }

  long logPosition() {
    return context.fetchSingle(LOG_POSITION).get(0, BigDecimal.class).longValue();
  }

  OccupiedBytes sizes() {
    Record row = context.fetchSingle(SIZES, DSL.inline(schema + "_"), DSL.inline(schema));
    return new OccupiedBytes(
        row.get(0, long.class),
        row.get(1, long.class),
        row.get(2, long.class),
        row.get(3, long.class));
  }

  private String setting(String name) {
    return context
        .select(DSL.field("pg_catalog.current_setting({0})", String.class, DSL.val(name)))
        .fetchSingle()
        .value1();
  }
}
