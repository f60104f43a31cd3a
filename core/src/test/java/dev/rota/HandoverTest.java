package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests whose objects become those of the roles: those of a former owner, and no stranger's. */
@Tag("exhaustive")
class HandoverTest {

  private static final String OWNERS =
      """
      select distinct o.owner::regrole::text
        from pg_namespace n
       cross join lateral (
             select n.nspowner as owner
              union all
             select c.relowner from pg_class c where c.relnamespace = n.oid
              union all
             select p.proowner from pg_proc p where p.pronamespace = n.oid) o
       where n.nspname ~ '^%s$' order by 1""";

  @ParameterizedTest
  @ChosenVersions
  void adoptsNothingThatAStrangerHasMade(int major) throws SQLException {
    try (RolesFixture fixture = RolesFixture.onVersion(major)) {
      registerTenants(fixture);
      setTraps(fixture);
      try (Rota superusers = Rota.connect(fixture.database().jdbcUrl())) {
        for (int runs = 1; runs <= 2; runs++) {
          assertThatExceptionOfType(DatabaseException.class)
              .isThrownBy(() -> superusers.admin().migrate(fixture.roles()))
              .withMessageContaining(
                  "tables of tenant 'taken' (1): role " + fixture.login("mallory"))
              .withMessageContaining("Rota left 2 such tenants alone; drop or rename the object")
              .withMessageContaining("run \"alter schema rota_1 owner to ");
        }
        assertThat(owners(fixture, "rota_1")).containsExactly(fixture.login("mallory"));
        assertThat(owners(fixture, "rota_2"))
            .containsExactly(fixture.login("founder"), fixture.login("mallory"));
        // Its former owner may not register tenants any more.
        assertThat(owners(fixture, "rota_3")).containsExactly(fixture.roles().daemon());
        assertThat(owners(fixture, "rota"))
            .containsExactlyInAnyOrder(fixture.roles().owner(), fixture.roles().daemon());

        fixture.execute(
            "mallory", "drop schema rota_1 cascade; drop function rota_2.make(text, integer)");
        fixture
            .database()
            .execute(
                "reassign owned by %s to %s"
                    .formatted(fixture.login("founder"), fixture.roles().daemon()));
        superusers.admin().migrate(fixture.roles());
        superusers.tenants().get("taken").enqueue(NewTask.of("k", "{}"));
        assertThat(owners(fixture, "rota_[1-3]")).containsExactly(fixture.roles().daemon());
      }
    }
  }

  /** The registry belongs to the roles by then, and the former owner may not write it any more. */
  @ParameterizedTest
  @ChosenVersions
  void aRepetitionContinuesAnInterruptedRun(int major) throws SQLException {
    try (RolesFixture fixture = RolesFixture.onVersion(major);
        Rota superusers = Rota.connect(fixture.database().jdbcUrl())) {
      registerTenants(fixture);
      fixture
          .database()
          .execute(
              """
              create function stop() returns event_trigger language plpgsql
                as 'begin raise exception ''stopped''; end';
              create event trigger stop on ddl_command_start
                when tag in ('ALTER DEFAULT PRIVILEGES') execute function stop()""");
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> superusers.admin().migrate(fixture.roles()))
          .withMessageContaining("stopped");
      fixture.database().execute("drop event trigger stop");
      superusers.admin().migrate(fixture.roles());
      assertThat(owners(fixture, "rota_[23]")).containsExactly(fixture.roles().daemon());
    }
  }

  private static void registerTenants(RolesFixture fixture) throws SQLException {
    for (String name : List.of("mallory", "founder")) {
      fixture.login(name, "");
      fixture
          .database()
          .execute(
              "grant create on database %s to %s"
                  .formatted(fixture.database().name(), fixture.login(name)));
    }
    try (Rota rota = fixture.rota("founder")) {
      rota.admin().migrate();
      Tenant unused = rota.tenants().register("taken");
      for (String name : List.of("entered", "clean")) {
        rota.tenants().register(name).enqueue(NewTask.of("k", "{}").withKey("a"));
      }
    }
  }

  /** Two tenants have an object of another role, and two schemas only look like a tenant's. */
  private static void setTraps(RolesFixture fixture) throws SQLException {
    fixture.execute(
        "founder", "grant create, usage on schema rota_2 to " + fixture.login("mallory"));
    fixture.execute(
        "mallory",
        """
        create schema rota_1;
        create schema rota_2024;
        create schema rota_99999999999;
        create function rota_1.make_it(cmd text) returns void language plpgsql
          security definer as 'begin execute cmd; end';
        create function rota_2.make(cmd text, unused integer) returns void language plpgsql
          security definer as 'begin execute cmd; end'""");
  }

  private static List<String> owners(RolesFixture fixture, String schemas) throws SQLException {
    return fixture.texts(OWNERS.formatted(schemas));
  }
}
