package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.HistoryColumn;
import dev.rota.internal.schema.HistoryColumns;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * Tests that the library creates a tenant's tables as designed, on the oldest and newest server.
 */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
class CanonicalTablesTest {

  private static final String RING =
      "id bigint, created_at timestamptz, parent_id bigint, attempt int4, kind text, payload text,"
          + " key text, traits int4";
  private static final String HISTORY =
      "id bigint, batch_id bigint, created_at timestamptz, parent_id bigint,"
          + " finished_at timestamptz, attempt int4, state int2, kind text, payload text, error text,"
          + " key text, traits int4, lane int2";
  private static final String WAITING =
      "id bigint, run_at timestamptz, created_at timestamptz, parent_id bigint, attempt int4,"
          + " kind text, payload text, key text, traits int4, lane int2";

  @Given private static RotaFixture fixture;
  @Given static Tenant first;
  @Given static Tenant second;

  @Test
  void aTenantHasTheseTablesAndNoOthers() throws SQLException {
    assertThat(
            fixture.texts(
                """
                select c.relname || ' (' || string_agg(a.attname || ' '
                       || replace(t.typname, 'int8', 'bigint'),
                       ', ' order by a.attnum) || ')'
                  from pg_class c
                  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
                  join pg_type t on t.oid = a.atttypid
                 where c.relnamespace = 'rota_2'::regnamespace and c.relkind = 'r'
                 group by c.relname order by c.relname collate "C\""""))
        .containsExactly(
            "task_hist_2_1 (" + HISTORY + ")",
            "task_init_2_0 (" + RING + ")",
            "task_init_2_1 (" + RING + ")",
            "task_init_2_2 (" + RING + ")",
            "task_wait_2 (" + WAITING + ")");
    assertThat(
            fixture.texts(
                "select viewname from pg_views where schemaname = 'rota_2' order by viewname"))
        .containsExactly("task_hist_2", "task_init_2");
    assertThat(
            fixture.texts(
                "select relname from pg_class where relnamespace = 'rota_2'::regnamespace"
                    + " and relkind not in ('r', 'v', 'i')"))
        .isEmpty();
  }

  @Test
  void ringAndHistoryHaveNothingThatCostsOrRefuses() throws SQLException {
    assertThat(
            fixture.texts(
                "select tablename || ' ' || indexdef from pg_indexes where schemaname = 'rota_2'"))
        .singleElement()
        .satisfies(index -> assertThat(index).startsWith("task_wait_2").endsWith("(run_at)"));
    String ours = "'rota_2'::regnamespace";
    assertThat(
            fixture.texts(
                "select conname from pg_constraint where connamespace = "
                    + ours
                    + " union all select tgname from pg_trigger join pg_class c on c.oid = tgrelid"
                    + " where c.relnamespace = "
                    + ours
                    + " union all select attname from pg_attribute join pg_class c on c.oid ="
                    + " attrelid where attnum > 0 and (attnotnull or atthasdef) and c.relnamespace"
                    + " = "
                    + ours))
        .isEmpty();
  }

  /** The functions of the registry make tables and views; the library names what it reads. */
  @Test
  void theLibraryReadsTheColumnsThatTheRegistryMakes() throws SQLException {
    assertThat(columns("task_hist_2_1"))
        .isEqualTo(HistoryColumns.joined(HistoryColumns.OF_SEGMENT, HistoryColumn::definition));
    assertThat(columns("task_hist_2"))
        .isEqualTo(HistoryColumns.joined(HistoryColumns.OF_VIEW, HistoryColumn::definition));
  }

  private static String columns(String relation) throws SQLException {
    return fixture
        .texts(
            """
            select string_agg(a.attname || ' '
                              || replace(format_type(a.atttypid, null),
                                         'timestamp with time zone', 'timestamptz'),
                              ', ' order by a.attnum)
              from pg_attribute a
             where a.attrelid = 'rota_2.%s'::regclass and a.attnum > 0"""
                .formatted(relation))
        .get(0);
  }

  @Test
  void theViewOfHistoryNamesEveryState() throws SQLException {
    for (AttemptStateCode code : AttemptStateCode.values()) {
      if (code != AttemptStateCode.AS_BATCH) {
        fixture.execute(
            "insert into rota_2.task_hist_2_1 (id, state) values (%d, %d)"
                .formatted(code.code(), code.code()));
        assertThat(fixture.texts("select state from rota_2.task_hist_2 where id = " + code.code()))
            .containsExactly(code.label());
      }
    }
    fixture.execute("truncate rota_2.task_hist_2_1");
  }

  @Test
  void nothingOfRingAndHistoryIsVacuumed() throws SQLException {
    String options =
        """
        select c.relname || ': ' || c.reloptions::text || ' / '
               || case when t.oid is null then 'no TOAST table'
                       else coalesce(t.reloptions::text, '-') end
          from pg_class c left join pg_class t on t.oid = c.reltoastrelid
         where c.relnamespace = 'rota_2'::regnamespace and c.relkind = 'r'
         order by c.relname collate "C\"""";
    String off = "{autovacuum_enabled=off}";
    assertThat(fixture.texts(options))
        .containsExactly(
            "task_hist_2_1: " + off + " / " + off,
            "task_init_2_0: " + off + " / no TOAST table",
            "task_init_2_1: " + off + " / no TOAST table",
            "task_init_2_2: " + off + " / no TOAST table",
            "task_wait_2: {autovacuum_vacuum_scale_factor=0.05} / -");
  }

  @Test
  void theLedgerIsReadyForOneUpdateOfEachRow() throws SQLException {
    assertThat(
            fixture.texts("select reloptions::text from pg_class where relname = 'task_batch_1'"))
        .containsExactly("{fillfactor=45,autovacuum_enabled=off}");
    assertThat(
            fixture.texts(
                "select indexdef from pg_indexes where tablename = 'task_batch_1' order by 1"))
        .satisfiesExactly(
            open -> assertThat(open).contains("(worker) WHERE (closed_at IS NULL)"),
            primary -> assertThat(primary).contains("UNIQUE").endsWith("(id)"));
  }
}
