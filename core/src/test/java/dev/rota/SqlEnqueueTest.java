package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;

/** Tests the SQL function {@code rota.enqueue}, for triggers and other languages. */
@RotaTest
class SqlEnqueueTest {

  private static final String ENQUEUE = "select rota.enqueue('%s', 'email.send', '{}')";

  @Given private static RotaFixture fixture;
  private Tenant tenant;
  private String name;

  @BeforeEach
  void register(TestInfo test) {
    name = test.getDisplayName() + System.nanoTime();
    tenant = fixture.rota().tenants().register(name);
    name = name.replace("'", "''");
  }

  @Test
  void theTaskIsThereWhenItsTransactionCommits() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      long id = Long.parseLong(call(connection));
      assertThat(tenant.claim(10).tasks()).isEmpty();
      connection.commit();
      assertThat(tenant.claim(10).tasks())
          .singleElement()
          .satisfies(
              task -> {
                assertThat(task.id()).isEqualTo(id);
                assertThat(task.kind()).isEqualTo("email.send");
                assertThat(task.payload()).isEqualTo("{}");
                assertThat(task.attempt()).isEqualTo(1);
                assertThat(task.parentId()).isEmpty();
                assertThat(task.createdAt()).isNotNull();
              });
    }
  }

  @Test
  void aRollbackLeavesNothing() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      call(connection);
      connection.rollback();
    }
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void aTriggerEnqueuesForEachRow() throws SQLException {
    fixture.execute(
        """
        create table public.invoice (id int);
        create function public.announce() returns trigger language plpgsql as $$
        begin
          perform rota.enqueue('%s', 'invoice.created', jsonb_build_object('id', new.id)::text);
          return new;
        end $$;
        create trigger announce after insert on public.invoice
          for each row execute function public.announce();
        insert into public.invoice values (1), (2), (3)"""
            .formatted(name));
    assertThat(tenant.claim(10).tasks())
        .extracting(Task::payload)
        .containsExactly("{\"id\": 1}", "{\"id\": 2}", "{\"id\": 3}");
  }

  @Test
  void idsDifferFromThoseThatJavaDraws() throws SQLException {
    List<Long> ids = new ArrayList<>();
    Tenant elsewhere = fixture.another().tenants().get(tenant.name());
    for (int round = 0; round < 5; round++) {
      ids.addAll(tenant.enqueueAll(tasks(1_500)));
      fixture.texts(ENQUEUE.formatted(name)).forEach(id -> ids.add(Long.valueOf(id)));
      ids.addAll(elsewhere.enqueueAll(tasks(700)));
      fixture.texts(ENQUEUE.formatted(name)).forEach(id -> ids.add(Long.valueOf(id)));
    }
    assertThat(ids).hasSize(5 * (1_500 + 700 + 2)).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "null",
      delimiter = '|',
      value = {
        "nobody | k       | {}   | 42704 | tenant 'nobody' is not registered | Register it first",
        "null   | k       | {}   | 42704 | tenant null is not registered     | Register it first",
        "''''   | k       | {}   | 42704 | is not registered                 | Register it first",
        "%s     | a b     | {}   | 22023 | kind 'a b' is malformed           | A-Z a-z 0-9 . _ : / -",
        "%s     | é       | {}   | 22023 | kind 'é' is malformed             | A-Z a-z 0-9 . _ : / -",
        "%s     | ''      | {}   | 22023 | kind '' is malformed              | A-Z a-z 0-9 . _ : / -",
        "%s     | null    | {}   | 22023 | kind null is malformed            | A-Z a-z 0-9 . _ : / -",
        "%s     | k       | null | 22023 | payload is null                   | at most 65536 bytes"
      })
  void refusals(
      String owner, String kind, String payload, String state, String message, String hint)
      throws SQLException {
    String to = "%s".equals(owner) ? tenant.name() : owner;
    PSQLException refusal = refusal(to, kind, payload);
    assertThat(refusal.getSQLState()).isEqualTo(state);
    assertThat(refusal.getServerErrorMessage().getMessage()).contains(message);
    assertThat(refusal.getServerErrorMessage().getHint()).contains(hint);
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"newline\n", "\nnewline", "tab\tin"})
  void aKindWithWhiteSpaceIsRefused(String kind) throws SQLException {
    assertThat(refusal(tenant.name(), kind, "{}").getSQLState()).isEqualTo("22023");
    assertThat(refusal(tenant.name(), "k".repeat(129), "{}").getSQLState()).isEqualTo("22023");
  }

  @Test
  void aClosedTenantRefuses() throws SQLException {
    fixture.rota().tenants().close(tenant.name());
    PSQLException refusal = refusal(tenant.name(), "k", "{}");
    assertThat(refusal.getSQLState()).isEqualTo("55000");
    assertThat(refusal.getServerErrorMessage().getHint()).contains("reopen");
    fixture.rota().tenants().reopen(tenant.name());
    assertThat(fixture.texts(ENQUEUE.formatted(name))).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"'',65536", "100,100", "1048576,1048576", "999999999,1048576"})
  void payloadsAreLimitedInBytes(String setting, int limit) throws SQLException {
    String configured = setting.isEmpty() ? "" : "set rota.payload_limit = " + setting + ";";
    String most = "€".repeat(limit / 3) + "x".repeat(limit % 3);
    // Else the large ones would go through the wait table, and wait for a daemon.
    fixture.execute(
        "select rota.open_tenant(%1$d); select rota_%1$d.make('wide')".formatted(tenant.number()));
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(configured + "select 1");
      assertThat(enqueue(connection, tenant.name(), "k", most)).isPositive();
      assertThatExceptionOfType(SQLException.class)
          .isThrownBy(() -> enqueue(connection, tenant.name(), "k", most + "x"))
          .withMessageContaining("payload is " + (limit + 1) + " bytes")
          .withMessageContaining("at most " + limit + " bytes");
    }
    assertThat(tenant.claim(10).tasks()).extracting(Task::payload).containsExactly(most);
  }

  @Test
  void aTaskMayWait() throws SQLException {
    String call = "select rota.enqueue('%s', 'k', '{}', %s)";
    long id = fixture.number(call.formatted(name, "timestamptz '2100-01-01 00:00:00.000001Z'"));
    assertThat(runAt(id)).isEqualTo("2100-01-01T00:00:00.000001Z");
    long soon = fixture.number(call.formatted(name, "null"));
    assertThat(tenant.claim(10).tasks()).extracting(Task::id).containsExactly(soon);
    for (String bad : List.of("'infinity'", "'-infinity'", "'2251-01-01 00:00Z'")) {
      assertThatExceptionOfType(SQLException.class)
          .isThrownBy(() -> fixture.execute(call.formatted(name, bad)))
          .withMessageContaining("run_at is");
    }
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.WAITING, 1L);
  }

  private String runAt(long id) {
    return tenant.history().scanAttempts(id).get(0).runAt().orElseThrow().toString();
  }

  @Test
  void publicMayNotExecuteIt() throws SQLException {
    assertThat(
            fixture.texts(
                "select has_function_privilege('public', oid, 'execute') from pg_proc"
                    + " where proname = 'enqueue' and pronamespace = 'rota'::regnamespace"))
        .containsExactly("f", "f", "f");
  }

  @Test
  void aHostileSearchPathChangesNothing() throws SQLException {
    fixture.execute(
        """
        create schema evil;
        create function evil.now() returns timestamptz language sql as $$ select 'epoch'::timestamptz $$;
        create function evil.octet_length(text) returns int language sql as $$ select 0 $$;
        create function evil.nextval(regclass) returns bigint language sql as $$ select -1::bigint $$;
        create function evil.format(text, text) returns text language sql as $$ select 'select 1' $$;
        create function evil.matches(text, text) returns boolean language sql as $$ select true $$;
        create operator evil.~ (leftarg = text, rightarg = text, function = evil.matches);
        create operator evil.!~ (leftarg = text, rightarg = text, function = evil.matches)""");
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("set search_path = evil, pg_temp, pg_catalog");
      statement.execute("create temporary table tenant (number int, name text)");
      long id = enqueue(connection, tenant.name(), "k", "{}");
      assertThatExceptionOfType(SQLException.class)
          .isThrownBy(() -> enqueue(connection, tenant.name(), "k", "x".repeat(65_537)));
      assertThatExceptionOfType(SQLException.class)
          .isThrownBy(() -> enqueue(connection, tenant.name(), "a b", "{}"));
      assertThat(tenant.claim(10).tasks())
          .singleElement()
          .satisfies(
              task -> {
                assertThat(task.id()).isEqualTo(id).isPositive();
                assertThat(task.createdAt()).isAfter(java.time.Instant.EPOCH);
              });
    }
  }

  private String call(Connection connection) throws SQLException {
    return RotaFixture.texts(connection, ENQUEUE.formatted(name)).get(0);
  }

  private static PSQLException refusal(String owner, String kind, String payload)
      throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      enqueue(connection, owner, kind, payload);
      throw new AssertionError("it was not refused");
    } catch (PSQLException e) {
      return e;
    }
  }

  private static long enqueue(Connection connection, String owner, String kind, String payload)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("select rota.enqueue(?, ?, ?)")) {
      statement.setString(1, owner);
      statement.setString(2, kind);
      statement.setString(3, payload);
      try (var row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private static List<NewTask> tasks(int count) {
    return IntStream.range(0, count).mapToObj(i -> NewTask.of("k", "{}")).toList();
  }

  @Test
  void aKeyIsTakenOnceAlsoFromSql() throws SQLException {
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(() -> fixture.texts(withKey("'k'")))
        .withMessageContaining("has had no keys yet")
        .withMessageContaining("rota enqueue --key");
    long other = tenant.enqueue(NewTask.of("email.send", "{}").withKey("makes the table"));
    String first = fixture.texts(withKey("'k'")).get(0);
    assertThat(fixture.texts(withKey("'k'"))).containsExactly(first);
    assertThat(tenant.enqueue(NewTask.of("email.send", "{}").withKey("k")))
        .isEqualTo(Long.parseLong(first));
    try (Batch batch = tenant.claim(10)) {
      assertThat(batch.tasks())
          .extracting(Task::id)
          .containsExactlyInAnyOrder(other, Long.parseLong(first));
      batch.settle();
    }
    assertThat(fixture.texts(withKey("'k'"))).doesNotContain(first);
    assertThat(fixture.texts(withKey("null"))).hasSize(1);
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(() -> fixture.texts(withKey("repeat('x', 501)")))
        .withMessageContaining("key has 501 bytes");
  }

  private String withKey(String key) {
    return "select rota.enqueue('" + name + "', 'email.send', '{}', null, 0, " + key + ")";
  }
}
