package dev.rota.cli.demo;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.val;

import dev.rota.Tenant;
import dev.rota.cli.demo.DemoReport.Rotations;
import dev.rota.cli.demo.DemoReport.Server;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;

/** What the demo asks the database behind the library's back, for its own tenants only. */
final class DemoTables {

  private static final Field<Long> BATCH = field(name("id"), Long.class);
  private static final Field<Integer> SEQ = field(name("seq"), Integer.class);

  private final DSLContext context;
  private final String schema;
  private final List<Integer> tenants;

  DemoTables(DSLContext context, String schema, List<Tenant> tenants) {
    this.context = context;
    this.schema = schema;
    this.tenants = tenants.stream().map(Tenant::number).toList();
  }

  int tenantCount() {
    return tenants.size();
  }

  DSLContext context() {
    return context;
  }

  /** The batches that are claimed and not settled. */
  Long[] openBatches() {
    return context
        .select(BATCH)
        .from(table(name(schema, "task_batch")))
        .where(ours("tenant"))
        .and(field(name("closed_at")).isNull())
        .fetchArray(BATCH);
  }

  /**
   * The tables as the catalog has them, not the registry: a table that the library has forgotten
   * would hold lost tasks.
   */
  List<TenantTableNames> tableNames() {
    Field<String> schemaName = field("n.nspname::text", String.class);
    Field<String> tableName = field("c.relname::text", String.class);
    Map<String, List<String>> bySchema =
        context
            .select(schemaName, tableName)
            .from("pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace")
            .where("c.relkind = 'r'")
            .and(schemaName.in(tenants.stream().map(number -> schema + "_" + number).toList()))
            .fetchGroups(schemaName, tableName);
    List<TenantTableNames> all = new ArrayList<>();
    for (Map.Entry<String, List<String>> entry : bySchema.entrySet()) {
      all.add(TenantTableNames.of(entry.getKey(), entry.getValue()));
    }
    return all;
  }

  Rotations rotations() {
    Record2<BigDecimal, BigDecimal> sums =
        context
            .select(
                sum(field(name("rotations"), Long.class)),
                sum(field(name("postponed"), Long.class)))
            .from(table(name(schema, "tenant")))
            .where(ours("number"))
            .fetchSingle();
    int opened =
        context
            .select(count())
            .from(table(name(schema, "segment")))
            .where(ours("tenant"))
            .and(SEQ.gt(1))
            .fetchSingle()
            .value1();
    return new Rotations(sums.value1().longValue(), sums.value2().longValue(), opened);
  }

  Server server() {
    boolean durable = setting("fsync").equals("on") && !setting("synchronous_commit").equals("off");
    return new Server(setting("server_version").split(" ", 2)[0], durable);
  }

  private Condition ours(String column) {
    return field(name(column), Integer.class).in(tenants);
  }

  private String setting(String setting) {
    return context
        .select(field("current_setting({0})", String.class, val(setting)))
        .fetchSingle()
        .value1();
  }
}
