package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.rota.Batch.SettleResult;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests migrations of databases that are empty, or hold tables of other programs. */
class MigrationTest {

  private static final String ALL_TABLES =
      """
      select table_schema || '.' || table_name || '.' || column_name || ' ' || data_type
        from information_schema.columns
       where table_schema not in ('pg_catalog', 'information_schema') order by 1""";

  private TestDatabase database;

  @BeforeEach
  void open() {
    database = TestDatabase.create();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  @Tag("exhaustive")
  void migratingAgainChangesNothing() throws SQLException {
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      List<String> tables = texts(ALL_TABLES);
      List<String> history = texts("select h::text from rota.schema_history h");
      rota.admin().migrate();
      assertThat(texts(ALL_TABLES)).isEqualTo(tables);
      assertThat(texts("select h::text from rota.schema_history h")).isEqualTo(history);
    }
    try (Rota later = Rota.connect(database.jdbcUrl())) {
      later.admin().migrate();
      assertThat(texts(ALL_TABLES)).contains("rota.tenant.number integer");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  @Tag("exhaustive")
  void worksOnTheOldestAndTheNewestServer(int major) {
    try (RotaFixture fixture = RotaFixture.onVersion(major)) {
      fixture.rota().admin().migrate();
      Tenant acme = fixture.rota().tenants().register("acme");
      long id = acme.enqueue(NewTask.of("email.send", "{}"));
      try (Batch batch = acme.claim(10)) {
        assertThat(batch.settle()).isEqualTo(new SettleResult(1, 0));
      }
      assertThat(acme.history().scanAttempts(id))
          .extracting(Attempt::state)
          .containsExactly(TaskState.DONE);
    }
  }

  @Test
  @Tag("exhaustive")
  void leavesTheTablesOfOthersAlone() throws SQLException {
    database.execute(
        """
        create table public.orders (id int primary key, what text);
        insert into public.orders values (1, 'mine');
        create table public.tenant (name text);
        create schema rota;
        create table rota.invoice (id int);
        insert into rota.invoice values (7);
        create view rota.open_invoice as select * from rota.invoice""");
    List<String> before = texts(ALL_TABLES);
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      rota.admin().migrate();
      rota.tenants().register("acme").enqueue(NewTask.of("k", "{}"));
    }
    assertThat(texts(ALL_TABLES)).containsAll(before);
    assertThat(texts("select what from public.orders")).containsExactly("mine");
    assertThat(texts("select id from rota.open_invoice")).containsExactly("7");
    assertThat(texts("select * from public.tenant")).isEmpty();
  }

  @Test
  @Tag("exhaustive")
  void leavesTablesOnForeignServersAlone(@TempDir Path folder) throws Exception {
    assumeFalse(
        texts("select name from pg_available_extensions where name = 'file_fdw'").isEmpty(),
        "this server has no file_fdw");
    Path file = Files.writeString(folder.resolve("prices.csv"), "1,tea\n2,milk\n");
    database.execute(
        """
        create extension file_fdw;
        create schema rota;
        create server files foreign data wrapper file_fdw;
        create foreign table public.price (id int, what text) server files
          options (filename '%1$s', format 'csv');
        create foreign table rota.price (id int, what text) server files
          options (filename '%1$s', format 'csv')"""
            .formatted(file));
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      rota.tenants().register("acme").enqueue(NewTask.of("k", "{}"));
    }
    assertThat(
            texts("select foreign_table_schema from information_schema.foreign_tables order by 1"))
        .containsExactly("public", "rota");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("exhaustive")
  void keepsApartFromTheMigrationsOfTheHost(boolean hostFirst, @TempDir Path folder)
      throws Exception {
    Files.writeString(folder.resolve("V1__orders.sql"), "create table orders (id int)");
    Flyway host =
        Flyway.configure()
            .dataSource(database.dataSource())
            .locations("filesystem:" + folder)
            .load();
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      if (hostFirst) {
        host.migrate();
      }
      rota.admin().migrate();
      host.migrate();
      host.validate();
      rota.admin().migrate();
    }
    assertThat(texts("select script from public.flyway_schema_history where success"))
        .containsExactly("V1__orders.sql");
    assertThat(texts("select script from rota.schema_history where type = 'SQL' and success"))
        .isNotEmpty()
        .doesNotContain("V1__orders.sql");
  }

  @Test
  void ourMigrationsAreNotInTheDefaultLocationOfAHost() {
    Flyway host = Flyway.configure().dataSource(database.dataSource()).load();
    assertThat(host.info().all()).isEmpty();
  }

  @Test
  @Tag("exhaustive")
  void registriesOfTwoSchemasLiveSideBySide() throws SQLException {
    try (Rota one = Rota.builder(database.jdbcUrl()).schema("jobs").build();
        Rota other = Rota.builder(database.jdbcUrl()).schema("other_jobs").build()) {
      one.admin().migrate();
      other.admin().migrate();
      Tenant ours = one.tenants().register("acme");
      Tenant theirs = other.tenants().register("acme");
      assertThat(ours.number()).isEqualTo(theirs.number());
      ours.enqueueAll(List.of(NewTask.of("a", "1"), NewTask.of("a", "2")));
      theirs.enqueue(NewTask.of("b", "3"));

      assertThat(theirs.claim(10).tasks()).extracting(Task::payload).containsExactly("3");
      assertThat(ours.claim(10).tasks()).extracting(Task::payload).containsExactly("1", "2");
    }
    assertThat(texts("select nspname from pg_namespace where nspname ~ 'jobs|rota' order by 1"))
        .containsExactly("jobs", "jobs_1", "other_jobs", "other_jobs_1");
  }

  @Test
  void saysWhichGrantIsMissing() throws SQLException {
    String role = "nobody_of_" + database.name();
    database.execute("create role " + role);
    try (Connection connection = database.connect()) {
      connection.createStatement().execute("set role " + role);
      SingleConnection pool = new SingleConnection(connection);
      try (Rota rota = Rota.builder(pool).build()) {
        assertThatExceptionOfType(DatabaseException.class)
            .isThrownBy(rota.admin()::migrate)
            .withMessageContaining("\"rota\"")
            .withMessageContaining("CREATE on the database")
            .satisfies(e -> assertThat(e.unavailable()).isFalse());
      }
    } finally {
      database.execute("drop role " + role);
    }
  }

  @Test
  void aTableOfOthersWithOneOfOurNamesIsReportedAndKept() throws SQLException {
    database.execute("create schema rota; create table rota.tenant (mine text)");
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(rota.admin()::migrate)
          .withMessageContaining("\"tenant\" already exists");
    }
    assertThat(
            texts(
                "select column_name from information_schema.columns"
                    + " where table_schema = 'rota' and table_name = 'tenant'"))
        .containsExactly("mine");
  }

  /** Workers of grants made by hand must not stop when the registry gets tables that they read. */
  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  @Tag("exhaustive")
  void rolesThatReadTenantsReadRulesAfterAnUpgrade(int major) throws SQLException {
    String role = "worker_of_" + database.name();
    try (TestDatabase older = TestDatabase.onVersion(major)) {
      MigratedDatabase.toVersion(older, "18");
      older.execute(
          "create role %1$s; grant select on rota.tenant to %1$s; grant insert on rota.worker to %1$s;"
              .concat(" grant execute on function rota.open_tenant(integer) to %1$s")
              .formatted(role));
      try (Rota rota = Rota.connect(older.jdbcUrl())) {
        rota.admin().migrate();
        assertThat(rota.controls().rules()).isEmpty();
      }
      assertThat(
              older.texts(
                  "select t from unnest('{rule,rule_version}'::text[]) t where"
                      + " has_table_privilege('%s', 'rota.' || t, 'select')".formatted(role)))
          .containsExactly("rule", "rule_version");
      assertThat(
              older.texts(
                  "select t from unnest('{bucket,budget,share,kind_pause}'::text[]) t where"
                      + " has_table_privilege('%s', 'rota.' || t, 'insert')".formatted(role)))
          .containsExactly("bucket", "budget", "share", "kind_pause");
      assertThat(
              older.texts(
                  "select proname from pg_proc where proname ~ '_(payload|room)$'"
                      + " and has_function_privilege('%s', oid, 'execute') order by 1"
                          .formatted(role)))
          .containsExactly("lease_payload", "require_payload", "require_room", "return_payload");
      older.execute("drop owned by " + role + "; drop role " + role);
    }
  }

  @Test
  @Tag("exhaustive")
  void aLongTransactionStopsTheMigrationAndNoOtherReader() throws Exception {
    MigratedDatabase.toVersion(database, "18");
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      CompletableFuture<Void> migrating;
      try (Connection host = database.connect()) {
        migrating = migrateBehind(host, rota);
        // It queues behind the migration, and gets through when that gives up its turn.
        try (Connection reader = database.connect()) {
          RotaFixture.execute(reader, "set statement_timeout = '60s'");
          assertThat(RotaFixture.texts(reader, "select name from rota.tenant")).isEmpty();
        }
        assertThatExceptionOfType(ExecutionException.class)
            .isThrownBy(() -> migrating.get(4, TimeUnit.MINUTES))
            .withCauseInstanceOf(DatabaseException.class)
            .withMessageContaining(
                "migrate schema \"rota\": other sessions hold locks on tables of")
            .withMessageContaining("; end long transactions that use them, and migrate again");
      }
      rota.admin().migrate();
      assertThat(rota.tenants().register("acme").enqueue(NewTask.of("k", "{}"))).isPositive();
    }
  }

  @Test
  void theMigrationGoesOnWhenTheLockIsGone() throws Exception {
    MigratedDatabase.toVersion(database, "18");
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      CompletableFuture<Void> migrating;
      try (Connection host = database.connect()) {
        migrating = migrateBehind(host, rota);
      }
      migrating.get(4, TimeUnit.MINUTES);
      assertThat(rota.tenants().register("acme").enqueue(NewTask.of("k", "{}"))).isPositive();
    }
  }

  /** Begins a migration that waits for the transaction of a host. */
  private CompletableFuture<Void> migrateBehind(Connection host, Rota rota) throws SQLException {
    host.setAutoCommit(false);
    assertThat(RotaFixture.texts(host, "select name from rota.tenant")).isEmpty();
    CompletableFuture<Void> migrating = InBackground.run(rota.admin()::migrate);
    Await.until(
        "the migration waits for the lock",
        () -> !texts("select 1 from pg_locks where not granted").isEmpty());
    return migrating;
  }

  /** The role of the daemon may create functions in the schema of the registry. */
  @Test
  @Tag("exhaustive")
  void aMigrationCallsNoFunctionOfOthers() throws SQLException {
    MigratedDatabase.toVersion(database, "18");
    database.execute(
        """
        create function rota.trap() returns text language plpgsql as
          'begin raise exception ''trapped''; end';
        create function rota.format(text, text) returns text language sql as 'select rota.trap()';
        create function rota.format(text, text, text) returns text language sql
          as 'select rota.trap()';
        create function rota.format(text, name, text) returns text language sql
          as 'select rota.trap()';
        create function rota.set_config(text, varchar, boolean) returns text language sql
          as 'select rota.trap()';
        create role reader_%1$s; grant select on rota.tenant to reader_%1$s"""
            .formatted(database.name()));
    try (Connection connection = database.connect()) {
      String path = "select current_setting('search_path')";
      List<String> before = RotaFixture.texts(connection, path);
      try (Rota rota = Rota.builder(new SingleConnection(connection)).build()) {
        rota.admin().migrate();
      }
      assertThat(RotaFixture.texts(connection, path)).isEqualTo(before);
    } finally {
      database.execute(
          "drop owned by reader_%1$s; drop role reader_%1$s".formatted(database.name()));
    }
  }

  private List<String> texts(String sql) throws SQLException {
    try (Connection connection = database.connect()) {
      return RotaFixture.texts(connection, sql);
    }
  }
}
