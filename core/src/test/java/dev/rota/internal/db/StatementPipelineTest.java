package dev.rota.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.internal.db.BoundStatement.Flush;
import dev.rota.internal.db.BoundStatement.Reply;
import dev.rota.internal.db.BoundStatement.RowId;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.core.Query;

/** Tests that a pipeline sends values, reads results and fails as JDBC does. */
@RotaTest
class StatementPipelineTest {

  @Given private RotaFixture fixture;
  private Connection connection;
  private StatementPipeline pipeline;

  @BeforeEach
  void connect() throws SQLException {
    connection = fixture.closeLater(DriverManager.getConnection(fixture.database().jdbcUrl()));
    pipeline = Backends.PipelineSupport.open(connection);
  }

  @Test
  void allFormsOfValuesArriveAsTheyAre() throws SQLException {
    BoundStatement<List<String>> values =
        BoundStatement.query(
            "values",
            "select concat_ws('|', ?::bigint, ?::int, ?::smallint, ?::boolean, ?::text, ?::tid,"
                + " ?::bigint[], ?::int[], ?::text[], ?::text[], ?::bigint[], ?::int[],"
                + " ?::smallint[], ?::smallint[], ?::boolean[])",
            row -> row.getString(1),
            Long.MIN_VALUE,
            -7,
            (short) -3,
            true,
            "ein 'Wort' mit ? und 😀",
            new RowId(4_294_967_294L, 65_535),
            new long[] {1, Long.MAX_VALUE},
            new int[] {},
            new String[] {"a,b", null, "", "\\\"ü"},
            new String[] {},
            new Long[] {null, 5L},
            new Integer[] {null, -6},
            new Short[] {7, null},
            new short[] {-8},
            new boolean[] {true, false});
    List<String> expected =
        List.of(
            "-9223372036854775808|-7|-3|t|ein 'Wort' mit ? und 😀|(4294967294,65535)"
                + "|{1,9223372036854775807}|{}|{\"a,b\",NULL,\"\",\"\\\\\\\"ü\"}|{}"
                + "|{NULL,5}|{NULL,-6}|{7,NULL}|{-8}|{t,f}");
    for (int time = 0; time < 4; time++) {
      assertThat(runAll(values, values)).containsExactly(expected, expected);
    }
  }

  @Test
  void statementsForWhichTheSocketsHaveNoRoomGoInRounds() {
    BoundStatement<List<String>> few = text("x");
    BoundStatement<List<String>> many = text("x".repeat(20_000), "x".repeat(20_000));
    assertThat(BoundStatement.rounds(List.of(few, many, many, few), text -> false))
        .containsExactly(List.of(few, many), List.of(many, few));
    assertThat(BoundStatement.rounds(List.of(few, few), text -> false)).hasSize(1);
    assertThat(BoundStatement.rounds(List.of(many), text -> false)).hasSize(1);
    String comment = "-- " + "x".repeat(40_000);
    BoundStatement<List<String>> spoken =
        BoundStatement.query("long", comment, row -> row.getString(1));
    List<BoundStatement<List<String>>> three = List.of(spoken, spoken, spoken);
    assertThat(BoundStatement.rounds(three, text -> false)).hasSize(3);
    assertThat(BoundStatement.rounds(three, comment::equals)).hasSize(1);
  }

  private static BoundStatement<List<String>> text(String... values) {
    return BoundStatement.query(
        "text", "select ?::text[]", row -> row.getString(1), (Object) values);
  }

  /** A pooler that maps names keeps the connection when it leads to another server. */
  @Test
  void noCommitSharesAFlushWhereThePoolerMayExchangeTheServer() throws SQLException {
    String url = fixture.database().jdbcUrl() + "&prepareThreshold=0";
    try (Connection pooled = DriverManager.getConnection(url)) {
      Backends backends = new Backends();
      assertThat(backends.pipeline(pooled)).isNull();
      backends.tried(pooled, List.of("PGBOUNCER_1"));
      StatementPipeline mapped = Objects.requireNonNull(backends.pipeline(pooled));
      mapped.serverStart("today");
      pipeline.serverStart("today");
      assertThat(mapped.mayCommitAlong("today"::equals)).isFalse();
      assertThat(pipeline.mayCommitAlong("today"::equals)).isTrue();
    }
  }

  @Test
  void resultsComeInTheOrderOfTheStatements() throws SQLException {
    fixture.execute("create table t (n int, s text)");
    for (int time = 0; time < 4; time++) {
      Flush group = new Flush();
      group.add("begin");
      Reply<Integer> stored =
          group.add(
              BoundStatement.storing(
                  3,
                  "t",
                  "insert",
                  "insert into t select n, n::text from unnest(?::int[]) n",
                  new int[] {1, 2, 3}));
      Reply<Integer> none =
          group.add(BoundStatement.update("none", "delete from t where n > ?::int", 7));
      Reply<List<String>> rows =
          group.add(
              BoundStatement.query(
                  "rows",
                  "select n, s, null::int from t where n > ?::int order by n",
                  row -> row.getInt(1) + row.getString(2) + row.getInt(3) + row.wasNull(),
                  1));
      Reply<List<Integer>> empty =
          group.add(BoundStatement.query("empty", "select 1 where false", row -> row.getInt(1)));
      group.add("rollback");
      group.run(connection, pipeline);
      assertThat(stored.get()).isEqualTo(3);
      assertThat(none.get()).isZero();
      assertThat(rows.get()).containsExactly("220true", "330true");
      assertThat(empty.get()).isEmpty();
    }
  }

  @Test
  void aFailureEndsTheFlushAndTheNextOneRuns() throws SQLException {
    fixture.execute("create table t (n int primary key)");
    for (int time = 0; time < 3; time++) {
      assertThatThrownBy(
              () ->
                  runAll(
                      update("begin"),
                      update("insert into t values (?)", 1),
                      update("insert into t values (?)", 1),
                      update("insert into t values (?)", 2)))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23505"));
      assertThat(runAll(update("rollback"))).containsExactly(0);
    }
    assertThat(fixture.number("select count(*) from t")).isZero();
  }

  /** A row that Rota cannot read must not leave the rest of the answer in the stream. */
  @Test
  void anUnreadableRowLeavesTheConnectionInOrder() throws SQLException {
    BoundStatement<List<Integer>> text =
        BoundStatement.query("text", "select 'no number'", row -> row.getInt(1));
    assertThatThrownBy(() -> runAll(text, text)).isInstanceOf(SQLException.class);
    assertThat(runAll(BoundStatement.query("one", "select 1", row -> row.getInt(1))))
        .containsExactly(List.of(1));
  }

  @Test
  void aStatementIsKeptFromItsSecondRunOnAndOthersAreClosed() throws SQLException {
    BoundStatement<List<Integer>> kept =
        BoundStatement.query("kept", "select ?::int -- kept", row -> row.getInt(1), 1);
    for (int time = 0; time < 5; time++) {
      BoundStatement<List<Integer>> other =
          BoundStatement.query("other", "select ?::int -- " + time, row -> row.getInt(1), time);
      assertThat(runAll(kept, other)).containsExactly(List.of(1), List.of(time));
    }
    List<String> names =
        RotaFixture.texts(
            connection, "select statement from pg_prepared_statements where statement like '%--%'");
    assertThat(names).containsExactly("select $1::int -- kept");
  }

  @Test
  void aValueWithoutAFormGoesAnotherWay() {
    Flush group = new Flush();
    BoundStatement<Integer> unused = update("select ?", 1);
    group.add(unused);
    assertThat(group.isForPipeline()).isTrue();
    group.add(update("select ?", (Object) null));
    assertThat(group.isForPipeline()).isFalse();
  }

  @Test
  void anotherVersionOfTheDriverIsRecognised() {
    assertThat(Backends.PipelineSupport.isThere()).isTrue();
    assertThat(Backends.PipelineSupport.isComplete(StatementPipeline.Combination.class)).isTrue();
    assertThat(Backends.PipelineSupport.isComplete(QueryOfTheFuture.class)).isFalse();
  }

  @Test
  void aDriverInSimpleModeSendsTexts() throws SQLException {
    try (Connection simple =
        DriverManager.getConnection(fixture.database().jdbcUrl() + "&preferQueryMode=simple")) {
      assertThat(Backends.PipelineSupport.open(simple)).isNull();
    }
  }

  /** A version whose queries have one method more. */
  interface QueryOfTheFuture extends Query {
    Array unheardOf();
  }

  private static BoundStatement<Integer> update(String sql, Object... values) {
    return BoundStatement.update("update", sql, values);
  }

  @SafeVarargs
  private <T> List<T> runAll(BoundStatement<T>... calls) throws SQLException {
    Flush group = new Flush();
    List<Reply<T>> replies = new ArrayList<>();
    for (BoundStatement<T> call : calls) {
      replies.add(group.add(call));
    }
    group.run(connection, pipeline);
    return replies.stream().map(Reply::get).toList();
  }
}
