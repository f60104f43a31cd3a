package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.admin.Finding;
import dev.rota.admin.Finding.Severity;
import dev.rota.internal.DefaultRota;
import dev.rota.limits.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractStringAssert;
import org.assertj.core.api.ObjectAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the findings of a preflight, and a healthy database without any. */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
class PreflightTest {

  @Given private static RotaFixture fixture;
  @Given private static Tenant acme;

  /** Each test undoes what it did. */
  @AfterEach
  void allIsWellAgain() {
    try (Rota rota = Rota.connect(fixture.database().jdbcUrl())) {
      assertThat(rota.admin().preflight()).isEmpty();
    }
  }

  @Test
  void findsNothingWhereAllIsWell() throws SQLException {
    fixture.execute(
        """
        create table public.orders (id int primary key);
        create publication of_orders for table public.orders;
        create publication of_registry for tables in schema rota;
        create publication of_inserts for all tables with (publish = 'insert, truncate')""");
    assertThat(fixture.rota().admin().preflight()).isEmpty();
    acme.enqueue(NewTask.of("k", "{}"));
    try (Batch batch = acme.claim(1)) {
      assertThat(batch.settle().settled()).isOne();
    }
  }

  @Test
  void findsPublicationsThatMakeClaimsFail() throws SQLException {
    assertPublication("for all tables", "all tables");
    assertPublication("for tables in schema rota_1", "the tables of schema rota_1");
    assertPublication("for table rota_1.task_init_1_0", "table rota_1.task_init_1_0");
    fixture.execute(
        "alter table rota_1.task_init_1_0 replica identity full;"
            + " create publication full_rows for table rota_1.task_init_1_0");
    assertThat(fixture.rota().admin().preflight()).isEmpty();
    fixture.execute(
        "drop publication full_rows; alter table rota_1.task_init_1_0 replica identity default");
  }

  /** The condition is real: what is said to fail does. */
  private void assertPublication(String what, String named) throws SQLException {
    fixture.execute("create publication trouble " + what);
    acme.enqueue(NewTask.of("k", "{}"));
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> acme.claim(1))
        .withMessageContaining("replica identity");
    only(Severity.ERROR, "publications").asString().contains("publication trouble", named);
    fixture.execute("drop publication trouble");
    try (Batch batch = acme.claim(10)) {
      batch.settle();
    }
  }

  @Test
  @Tag("exhaustive")
  void findsDefaultsOfTheDatabaseAndOfTheRole() throws SQLException {
    set("default_transaction_isolation", "'repeatable read'");
    onlyOfAnother(Severity.WARNING, "default isolation")
        .contains("'repeatable read'", "set by: database");
    set("default_transaction_isolation", "default");

    set("default_table_access_method", "'heap'");
    fixture.execute("create access method other type table handler heap_tableam_handler");
    set("default_table_access_method", "'other'");
    onlyOfAnother(Severity.ERROR, "table access method").contains("'other'");
    set("default_table_access_method", "default");

    set("synchronous_commit", "off");
    onlyOfAnother(Severity.WARNING, "durability").contains("synchronous_commit is off", "loses");
    set("synchronous_commit", "default");

    set("track_counts", "off");
    onlyOfAnother(Severity.WARNING, "counters").contains("track_counts is off");
    set("track_counts", "default");
  }

  @Test
  void refusesToMigrateWhereEverythingIsReadOnly() throws SQLException {
    set("default_transaction_read_only", "on");
    onlyOfAnother(Severity.ERROR, "read-only transactions").contains("Rota can change nothing");
    try (Rota rota = Rota.connect(fixture.database().jdbcUrl())) {
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(rota.admin()::migrate)
          .withMessageContaining("default_transaction_read_only is on");
    }
    set("default_transaction_read_only", "default");
  }

  @Test
  @Tag("exhaustive")
  void findsSchemasOfTheSearchPathThatAreOpenToAll() throws SQLException {
    fixture.execute("create schema shop; grant create on schema shop to public");
    assertThat(fixture.rota().admin().preflight()).isEmpty();
    fixture.execute("grant create on schema public to public");
    only(Severity.WARNING, "search path")
        .asString()
        .contains("schema public", "revoke create on schema public from public");
    set("search_path", "'\"$user\"'");
    try (Rota rota = Rota.connect(fixture.database().jdbcUrl())) {
      assertThat(rota.admin().preflight()).isEmpty();
    }
    set("search_path", "shop, pg_temp, missing");
    onlyOfAnother(Severity.WARNING, "search path").contains("schema shop");
    set("search_path", "default");
    fixture.execute("revoke create on schema public from public; drop schema shop");
  }

  @Test
  void findsWhoHoldsOurAdvisoryLocks() throws SQLException {
    try (Connection stranger = fixture.database().connect();
        Statement statement = stranger.createStatement()) {
      statement.execute("set application_name = 'the stranger'");
      statement.execute(
          "select pg_advisory_lock(42, 1), pg_advisory_lock(1919906913),"
              + " pg_advisory_lock(1919906913, -1), pg_advisory_lock(1919906913, -2)");
      assertThat(fixture.rota().admin().preflight()).isEmpty();
      statement.execute("select pg_advisory_lock(1919906913, 1)");
      only(Severity.WARNING, "advisory locks")
          .asString()
          .contains("'the stranger'", "1 advisory locks", "lockNamespace");
      assertThat(fixture.another(builder -> builder.lockNamespace(-7)).admin().preflight())
          .isEmpty();
      statement.execute("select pg_advisory_lock(-7, 1)");
      assertThat(fixture.another(builder -> builder.lockNamespace(-7)).admin().preflight())
          .hasSize(1);
    }
  }

  @Test
  void findsTransactionsThatAreOpenForLong() throws SQLException {
    try (Connection other = fixture.database().connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("set application_name = 'the report'");
      statement.execute("select count(*) from rota.tenant");
      assertThat(fixture.rota().admin().preflight()).isEmpty();
      assertThat(DefaultRota.preflightOf(fixture.rota()).findings(Duration.ZERO))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.check()).isEqualTo("old transactions");
                assertThat(finding.toString())
                    .contains("idle in transaction", "'the report'", "open for");
              });
    }
  }

  @Test
  void findsRightsOfEverybody() throws SQLException {
    fixture.execute("grant select on rota_1.task_hist_1_1 to public");
    only(Severity.WARNING, "rights of PUBLIC").asString().contains("rota_1.task_hist_1_1");
    fixture.execute(
        "revoke all on rota_1.task_hist_1_1 from public;"
            + " grant execute on function rota.enqueue(text, text, text) to public");
    only(Severity.WARNING, "rights of PUBLIC").asString().contains("function rota.enqueue");
    fixture.execute(
        "revoke all on function rota.enqueue(text, text, text) from public;"
            + " grant usage on schema rota_1 to public");
    only(Severity.WARNING, "rights of PUBLIC").asString().contains("schema rota_1");
    fixture.execute("revoke all on schema rota_1 from public");
  }

  @Test
  @Tag("exhaustive")
  void findsWorkersThatKnowNoRulesWhileThereAreRules() throws SQLException {
    acme.enqueue(NewTask.of("k", "{}"));
    try (Batch batch = acme.claim(10)) {
      batch.settle();
    }
    fixture.rota().controls().pause(Scope.kind("other"), "ticket 4711");
    assertThat(fixture.rota().admin().preflight()).as("only a worker of this version").isEmpty();

    String old =
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, token)"
            + " values (%s, '%s', '1 hour', now(), now() - interval '%s', 0)";
    fixture.execute(old.formatted(7, "dead/1", "61 minutes"));
    assertThat(fixture.rota().admin().preflight()).as("its lease is over").isEmpty();

    fixture.execute(old.formatted(8, "old/2", "59 minutes"));
    only(Severity.WARNING, "old workers").asString().contains("heartbeat: 1, such as old/2");
    assertNoneFor("create role blind; grant usage on schema rota to blind");
    assertNoneFor(
        "revoke usage on schema rota from blind; grant select on all tables in schema rota to blind");
    fixture.execute("drop owned by blind; drop role blind");
    fixture.execute("alter table rota.worker rename rules to not_yet");
    assertThat(fixture.rota().admin().preflight()).as("not migrated").isEmpty();
    fixture.execute("alter table rota.worker rename not_yet to rules");

    fixture.rota().controls().resume(Scope.kind("other"));
    assertThat(fixture.rota().admin().preflight()).as("no rules").isEmpty();
    fixture.execute("delete from rota.worker where id in (7, 8)");
  }

  /** A role that may not see the workers or the rules finds nothing, and fails at nothing. */
  private void assertNoneFor(String sql) throws SQLException {
    fixture.execute(sql);
    String url = fixture.database().jdbcUrl();
    String options = (url.contains("?") ? "&" : "?") + "options=-c%20role=blind";
    try (Rota rota = Rota.connect(url + options)) {
      assertThat(rota.admin().preflight()).as(sql).isEmpty();
    }
  }

  @Test
  @Tag("exhaustive")
  void findsAnEncodingThatCannotHoldAllTexts() throws SQLException {
    String name = fixture.database().name() + "_latin";
    fixture.execute("create database " + name + " encoding 'LATIN1' template template0 locale 'C'");
    String url = fixture.database().jdbcUrl().replace("/" + fixture.database().name(), "/" + name);
    try (Rota rota = Rota.connect(url)) {
      rota.admin().migrate();
      assertThat(rota.admin().preflight())
          .singleElement()
          .satisfies(finding -> assertThat(finding.problem()).contains("LATIN1"));
    } finally {
      fixture.execute("drop database " + name + " with (force)");
    }
  }

  private void set(String name, String value) throws SQLException {
    fixture.execute(
        "begin read write; alter database "
            + fixture.database().name()
            + " set "
            + name
            + " = "
            + value
            + "; commit");
  }

  private ObjectAssert<Finding> only(Severity severity, String check) {
    return only(fixture.rota().admin().preflight(), severity, check);
  }

  /** Settings of a database hold for new connections. */
  private AbstractStringAssert<?> onlyOfAnother(Severity severity, String check) {
    try (Rota rota = Rota.connect(fixture.database().jdbcUrl())) {
      return only(rota.admin().preflight(), severity, check).asString();
    }
  }

  private static ObjectAssert<Finding> only(
      List<Finding> findings, Severity severity, String check) {
    return assertThat(findings)
        .singleElement()
        .satisfies(finding -> assertThat(finding.check()).isEqualTo(check))
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(severity));
  }
}
