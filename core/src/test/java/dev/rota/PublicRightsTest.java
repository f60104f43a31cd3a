package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.graph.TaskGraph;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Tests that PUBLIC has no right on Rota's objects, and that functions do not depend on their
 * callers' search path.
 */
@ParameterizedClass
@ChosenVersions
class PublicRightsTest {

  private static final String OF_PUBLIC =
      """
      select 'schema ' || nspname || ' ' || a.privilege_type
        from pg_namespace cross join aclexplode(coalesce(nspacl, acldefault('n', nspowner))) a
       where nspname ~ '^rota' and a.grantee = 0
       union all
      select c.oid::regclass || ' ' || a.privilege_type
        from pg_class c cross join aclexplode(coalesce(c.relacl,
               acldefault(case c.relkind when 'S' then 's'::"char" else 'r'::"char" end, c.relowner))) a
       where c.relnamespace::regnamespace::text ~ '^rota' and c.relkind in ('r', 'v', 'S')
         and a.grantee = 0
       union all
      select a.attrelid::regclass || '.' || a.attname || ' ' || x.privilege_type
        from pg_attribute a join pg_class c on c.oid = a.attrelid cross join aclexplode(a.attacl) x
       where c.relnamespace::regnamespace::text ~ '^rota' and x.grantee = 0
       union all
      select p.oid::regprocedure || ' ' || a.privilege_type
        from pg_proc p cross join aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
       where p.pronamespace::regnamespace::text ~ '^rota' and a.grantee = 0""";

  @Parameter int major;

  private static RotaFixture fixture;

  @BeforeParameterizedClassInvocation
  static void open(int major) {
    fixture = RotaFixture.onVersion(major);
    Tenant acme = fixture.rota().tenants().register("acme");
    acme.enqueue(NewTask.of("k", "{}").withKey("a"));
    acme.enqueue(NewTask.of("k", "{}").priority(7));
    acme.assignments().pairs("crews");
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(NewTask.of("k", "{}"));
    long unused = acme.graphs().enqueue(graph.build()).id();
  }

  @AfterParameterizedClassInvocation
  static void close() {
    fixture.close();
  }

  @Test
  void everybodyMayDoNothing() throws SQLException {
    assertThat(fixture.texts(OF_PUBLIC)).isEmpty();
    fixture.execute("grant execute on function rota.enqueue(text, text, text) to public");
    assertThat(fixture.texts(OF_PUBLIC)).containsExactly("rota.enqueue(text,text,text) EXECUTE");
    fixture.execute("revoke execute on function rota.enqueue(text, text, text) from public");
  }

  @Test
  @Tag("exhaustive")
  void migrationTakesAwayWhatDefaultPrivilegesGave() throws SQLException {
    try (TestDatabase generous = TestDatabase.onVersion(major);
        Rota rota = Rota.connect(generous.jdbcUrl())) {
      generous.execute(
          """
          alter default privileges grant select on tables to public;
          alter default privileges grant usage on sequences to public;
          alter default privileges grant usage on schemas to public""");
      rota.admin().migrate();
      try (Connection connection = generous.connect()) {
        // Tables that are made later have what the owner's default privileges say.
        assertThat(RotaFixture.texts(connection, OF_PUBLIC))
            .isNotEmpty()
            .allMatch(right -> right.matches("rota\\.task_batch.*"));
      }
    }
  }

  @Test
  void functionsPinTheirSearchPath() throws SQLException {
    String functions =
        "select coalesce(proconfig::text, 'none') from pg_proc"
            + " where pronamespace::regnamespace::text ~ '^rota'";
    assertThat(fixture.texts(functions))
        .hasSizeGreaterThanOrEqualTo(3)
        .allMatch(config -> config.contains("\"search_path=pg_catalog, pg_temp\""));
    assertThat(
            fixture.texts(
                "select oid::regprocedure::text from pg_proc"
                    + " where prosecdef and pronamespace::regnamespace::text ~ '^rota'"))
        .as("functions that run with the rights of their owner")
        .containsExactlyInAnyOrder(
            "rota.open_tenant(integer)",
            "rota.room(integer)",
            "rota.lease_payload(integer,bigint,boolean)",
            "rota.return_payload(integer[],text[],bigint[],bigint[])",
            "rota.mark_quotas()",
            "rota.kind_pause_changed()",
            "rota.breaker_changed()",
            "rota_1.enqueue(text,text,timestamp with time zone,integer,text)",
            "rota_1.make(text)");
  }

  @Test
  void objectsInFrontOfTheSearchPathAreNotUsed() throws SQLException {
    fixture.execute(
        """
        create schema trap;
        create function trap.nextval(text) returns bigint language sql as 'select 666::bigint';
        create function trap.format(text, text, text) returns text language sql as 'select ''x''';
        create table trap.tenant (number int, name text, current_slot int, closed boolean)""");
    fixture.execute(
        "set search_path = trap, pg_catalog; create table trap.taken as"
            + " select rota.enqueue('acme', 'k', '{}') as id");
    assertThat(fixture.number("select id from trap.taken")).isGreaterThan(666);
  }
}
