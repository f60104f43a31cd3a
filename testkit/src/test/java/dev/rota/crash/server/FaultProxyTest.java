package dev.rota.crash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.crash.server.FaultProxy.CutPoint;
import dev.rota.crash.server.FaultProxy.Direction;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests each fault of the network, as its client sees it. */
class FaultProxyTest {

  private static final String INSERT = "insert into t values (1)";

  private TestDatabase database;
  private FaultProxy proxy;

  @BeforeEach
  void open() throws Exception {
    database = TestDatabase.create();
    database.execute("create table t (n int)");
    PGSimpleDataSource source = (PGSimpleDataSource) database.dataSource();
    proxy = FaultProxy.to(source.getPortNumbers()[0]);
  }

  @AfterEach
  void close() throws Exception {
    proxy.close();
    database.close();
  }

  @Test
  void passesEverything() throws Exception {
    String large = "x".repeat(3_000_000);
    try (Connection connection = connect();
        PreparedStatement echo =
            connection.prepareStatement("select ? || n from generate_series(1, 3) n")) {
      for (int i = 0; i < 10; i++) {
        echo.setString(1, large);
        try (ResultSet rows = echo.executeQuery()) {
          for (int n = 1; n <= 3; n++) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo(large + n);
          }
        }
      }
    }
    Await.until("the connection is forgotten", () -> proxy.connections().isEmpty());
    assertThat(proxy.accepted()).isEqualTo(1);
  }

  /** The server goes on behind a simple query that fails, and skips in the extended protocol. */
  @Test
  void breaksABegin() throws Exception {
    try (Connection connection = connect()) {
      proxy.breakNextBeginOf(connection.unwrap(PGConnection.class).getBackendPID());
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> execute(connection, INSERT)).hasMessageContaining("canceling");
      assertThat(rows()).isEqualTo(1);
      connection.setAutoCommit(true);
      for (int i = 1; i <= 10; i++) {
        proxy.breakNextBeginOf(connection.unwrap(PGConnection.class).getBackendPID());
        assertThatThrownBy(() -> prepareAndExecute(connection, "begin; " + INSERT))
            .hasMessageContaining("canceling");
      }
      assertThat(rows()).isEqualTo(1);
      prepareAndExecute(connection, "begin; " + INSERT + "; commit");
    }
    assertThat(rows()).isEqualTo(2);
    assertThat(proxy.brokenBegins()).isEqualTo(11);
  }

  @Test
  void cutsBetweenTheCommitAndItsAnswer() throws Exception {
    try (Connection connection = transaction()) {
      execute(connection, INSERT);
      proxy.cutNext(CutPoint.COMMIT_ANSWER);
      assertBroken(connection::commit);
    }
    assertThat(rows()).isEqualTo(1);
    assertThat(proxy.cuts(CutPoint.COMMIT_ANSWER)).isEqualTo(1);
  }

  @Test
  void cutsBeforeTheCommitReachesTheServer() throws Exception {
    try (Connection connection = transaction()) {
      execute(connection, INSERT);
      proxy.cutNext(CutPoint.COMMIT_REQUEST);
      assertBroken(connection::commit);
    }
    Await.until("the server has noticed", () -> sessions(), 1);
    assertThat(rows()).isZero();
    assertThat(proxy.cuts(CutPoint.COMMIT_REQUEST)).isEqualTo(1);
  }

  @Test
  void knowsACommitThatTheDriverHasPrepared() throws Exception {
    for (CutPoint point : new CutPoint[] {CutPoint.COMMIT_REQUEST, CutPoint.COMMIT_ANSWER}) {
      try (Connection connection = transaction()) {
        for (int i = 0; i < 20; i++) {
          execute(connection, INSERT);
          connection.commit();
        }
        execute(connection, INSERT);
        proxy.cutNext(point);
        assertBroken(connection::commit);
      }
    }
    Await.until("the server has noticed", () -> sessions(), 1);
    assertThat(rows()).isEqualTo(41);
  }

  @Test
  void knowsACommitInAFlushWithOtherStatements() throws Exception {
    try (Connection connection = connect()) {
      proxy.cutNext(CutPoint.COMMIT_ANSWER, INSERT);
      execute(connection, "begin; select 1; commit");
      assertBroken(() -> execute(connection, "begin; " + INSERT + "; commit"));
    }
    assertThat(rows()).isEqualTo(1);
  }

  @Test
  void leavesOtherTransactionsAlone() throws Exception {
    proxy.cutNext(CutPoint.COMMIT_ANSWER, "values (2)");
    try (Connection connection = transaction()) {
      execute(connection, INSERT);
      connection.commit();
      execute(connection, "insert into t values (2)");
      assertBroken(connection::commit);
    }
    try (Connection connection = transaction()) {
      execute(connection, "insert into t values (2)");
      connection.commit();
    }
    assertThat(rows()).isEqualTo(3);
    assertThat(proxy.cuts(CutPoint.COMMIT_ANSWER)).isEqualTo(1);
  }

  @Test
  void cutsTheAnswerToAStatementThatCommitsItself() throws Exception {
    try (Connection connection = connect()) {
      proxy.cutNext(CutPoint.READY, INSERT);
      execute(connection, "select 1");
      assertBroken(() -> execute(connection, INSERT));
    }
    assertThat(rows()).isEqualTo(1);
    assertThat(proxy.cuts(CutPoint.READY)).isEqualTo(1);
  }

  @Test
  void cutsNoMoreWhenToldSo() throws Exception {
    proxy.cutWhen(CutPoint.READY, transaction -> transaction.contains(INSERT));
    for (int i = 0; i < 3; i++) {
      try (Connection connection = connect()) {
        assertBroken(() -> execute(connection, INSERT));
      }
    }
    proxy.cutNever(CutPoint.READY);
    try (Connection connection = connect()) {
      execute(connection, INSERT);
    }
    assertThat(proxy.cuts(CutPoint.READY)).isEqualTo(3);
    assertThat(rows()).isEqualTo(4);
  }

  @Test
  void cutsAllAtOnceAndPointsElsewhere() throws Exception {
    try (Connection one = connect();
        Connection other = connect()) {
      proxy.cutAll();
      assertBroken(() -> execute(one, "select 1"));
      assertBroken(() -> execute(other, "select 1"));
    }
    proxy.pointTo(1);
    assertThatThrownBy(this::connect).isInstanceOf(SQLException.class);
  }

  @Test
  void losesWhatIsSwallowedAndKeepsTheSessionOpen() throws Exception {
    try (Connection connection = transaction()) {
      execute(connection, INSERT);
      proxy.setFlow(ProxyFlow.swallow());
      connection.setNetworkTimeout(Runnable::run, 100);
      assertBroken(connection::commit);
      assertThat(connection.isClosed()).isTrue();
      Await.until("it was swallowed", () -> proxy.swallowed() > 0);
      assertThat(sessionsInTransaction()).as("the server does not know").isEqualTo(1);
    }
    proxy.setFlow(ProxyFlow.pass());
    Await.until("the server knows", () -> sessionsInTransaction(), 0);
    assertThat(rows()).isZero();
  }

  @Test
  @Tag("exhaustive")
  void anEndIsSwallowedToo() throws Exception {
    try (Connection connection = transaction()) {
      execute(connection, INSERT);
      proxy.setFlow(Direction.TO_SERVER, ProxyFlow.swallow());
    }
    assertThat(sessionsInTransaction()).isEqualTo(1);
    proxy.connections().forEach(ProxiedConnection::cut);
    Await.until("the server knows", () -> sessionsInTransaction(), 0);
  }

  @Test
  void holdsWhatArrivesUntilItMayPass() throws Exception {
    try (Connection connection = connect()) {
      proxy.setFlow(Direction.TO_CLIENT, ProxyFlow.hold());
      CompletableFuture<Void> answer =
          CompletableFuture.runAsync(
              () -> executeUnchecked(connection, INSERT), task -> new Thread(task).start());
      Await.until("the server has done it", () -> rows() == 1 && proxy.held() == 1);
      assertThat(answer).isNotDone();
      proxy.setFlow(ProxyFlow.pass());
      answer.join();
      execute(connection, INSERT);
    }
    assertThat(rows()).isEqualTo(2);
  }

  @Test
  void delaysBothWays() throws Exception {
    Duration delay = Duration.ofMillis(30);
    try (Connection connection = connect()) {
      proxy.setFlow(ProxyFlow.delayed(delay));
      long since = System.nanoTime();
      execute(connection, INSERT);
      assertThat(Duration.ofNanos(System.nanoTime() - since))
          .isGreaterThanOrEqualTo(delay.multipliedBy(2));
    }
    assertThat(proxy.delayed()).isGreaterThanOrEqualTo(2);
  }

  private interface Work {
    void run() throws SQLException;
  }

  private static void assertBroken(Work work) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
  }

  private static void prepareAndExecute(Connection connection, String text) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      statement.execute();
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(proxy.through(database.jdbcUrl()));
  }

  private Connection transaction() throws SQLException {
    Connection connection = connect();
    connection.setAutoCommit(false);
    return connection;
  }

  private long rows() throws SQLException {
    return number("select count(*) from t");
  }

  private long sessions() throws SQLException {
    return number(
        "select count(*) from pg_stat_activity"
            + " where datname = current_database() and backend_type = 'client backend'");
  }

  private long sessionsInTransaction() throws SQLException {
    return number(
        "select count(*) from pg_stat_activity"
            + " where datname = current_database() and state = 'idle in transaction'");
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void executeUnchecked(Connection connection, String sql) {
    try {
      execute(connection, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
