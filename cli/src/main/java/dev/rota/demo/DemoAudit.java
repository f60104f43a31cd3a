package dev.rota.demo;

import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.val;
import static org.jooq.impl.DSL.when;

import dev.rota.demo.DemoReport.Audit;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.List;
import org.jooq.Cursor;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.Record4;
import org.jooq.Select;

/**
 * Reads every row of every table of the demo's tenants. It compares the ids with those that the
 * producer got and those that the handlers saw.
 *
 * <p>The server packs the ids of many rows into one value. Fetched row by row, twelve million of
 * them would take longer than the tasks themselves.
 */
final class DemoAudit {

  /** The most ids of one value, as a power of two: 256k ids or 2 MB. */
  private static final int PACKED_BITS = 18;

  private static final int FETCHED_AT_ONCE = 8;

  private static final Field<Long> ID = field(name("id"), Long.class);
  private static final Field<Integer> ATTEMPT = field(name("attempt"), Integer.class);
  private static final Field<Integer> STATE = field(name("state"), Integer.class);
  private static final Field<String> KIND = field(name("kind"), String.class);
  private static final Field<Long> BATCH = field(name("batch_id"), Long.class);
  private static final Field<byte[]> IDS = field("string_agg(int8send({0}), '')", byte[].class, ID);

  private final DemoTables tables;

  DemoAudit(DemoTables tables) {
    this.tables = tables;
  }

  Audit audit(IdSet enqueued, HandlerEffects effects) {
    return read().audit(enqueued, effects);
  }

  /** Reads the findings from the database. */
  Findings read() {
    Findings findings = new Findings();
    Long[] openBatches = tables.openBatches();
    for (TenantTableNames names : tables.tableNames()) {
      read(pending(names.pending()), findings);
      read(history(names.history(), openBatches), findings);
    }
    return findings;
  }

  private static Select<Record4<Long, Integer, Integer, String>> pending(List<Name> names) {
    return names.stream()
        .<Select<Record4<Long, Integer, Integer, String>>>map(
            name -> select(ID, ATTEMPT, inline(Findings.PENDING).as(STATE), KIND).from(table(name)))
        .reduce(Select::unionAll)
        .orElseThrow(() -> new IllegalStateException("a tenant of the demo has lost its ring"));
  }

  /** The effective state: that of the row, or of its batch if the row has none of its own. */
  private static Select<Record4<Long, Integer, Integer, String>> history(
      List<Name> names, Long[] openBatches) {
    Field<Integer> state =
        when(STATE.ne(0), STATE)
            .when(BATCH.eq(any(val(openBatches))), Findings.PENDING)
            .otherwise(Findings.DONE)
            .as(STATE);
    return names.stream()
        .<Select<Record4<Long, Integer, Integer, String>>>map(
            name -> select(ID, ATTEMPT, state, KIND).from(table(name)))
        .reduce(Select::unionAll)
        .orElseThrow(() -> new IllegalStateException("a tenant of the demo has lost its history"));
  }

  private void read(Select<Record4<Long, Integer, Integer, String>> rows, Findings findings) {
    // A cursor, which needs a transaction: one tenant alone may have all the tasks.
    tables.context().transaction(configuration -> fetch(configuration.dsl(), rows, findings));
  }

  private static void fetch(
      DSLContext context, Select<Record4<Long, Integer, Integer, String>> rows, Findings findings) {
    Field<Long> packet = field("{0} >> {1}", Long.class, ID, inline(PACKED_BITS));
    try (Cursor<Record4<String, Integer, Integer, byte[]>> cursor =
        context
            .select(KIND, STATE, ATTEMPT, IDS)
            .from(rows.asTable("rows"))
            .groupBy(packet, KIND, STATE, ATTEMPT)
            .fetchSize(FETCHED_AT_ONCE)
            .fetchLazy()) {
      for (Record4<String, Integer, Integer, byte[]> row : cursor) {
        LongBuffer ids = ByteBuffer.wrap(row.value4()).asLongBuffer();
        findings.add(new Findings.Group(row.value1(), row.value2()), row.value3(), ids);
      }
    }
  }
}
