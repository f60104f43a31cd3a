package dev.rota.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.FaultObserver;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.testing.Faults;
import dev.rota.testing.PgBouncer;
import dev.rota.testing.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the probe on an idle pooler, where the order in which it lends its processes decides the
 * result.
 */
class PoolerProbeTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int IN_USE_AT_ONCE = 4;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "false, 1", "true, 1",
    "false, 2", "true, 2",
    "false, 3", "true, 3",
    "false, 4", "true, 4",
  })
  @Tag("exhaustive")
  void itSeesTheExchangeHoweverManyProcessesThereAre(boolean inTurn, int processes)
      throws Exception {
    assertThat(exchanges("transaction", inTurn, processes)).isTrue();
  }

  /** Another session takes the process before one of the probe's questions, and gives it back. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  @Tag("exhaustive")
  void itSeesTheExchangeWhenAnotherSessionComesBetween(int question) throws Exception {
    try (TestDatabase server = TestDatabase.create();
        PgBouncer pooler = PgBouncer.start(server, folder, "transaction");
        HikariDataSource pool = pool(pooler.jdbcUrl());
        Connection stranger = pool.getConnection()) {
      use(pool, IN_USE_AT_ONCE - 1);
      Faults faults = new Faults();
      String ask = "find the server process";
      faults
          .before(ask)
          .tell(call -> execute(stranger, faults.count(ask) == question ? "begin" : "rollback"));
      assertThat(exchanges(pool, new FaultObserver(faults))).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({"false, 2", "true, 4"})
  void itFindsNoneWhereSessionsAreKept(boolean inTurn, int processes) throws Exception {
    assertThat(exchanges("session", inTurn, processes)).isFalse();
  }

  @Test
  void itFindsNoneWithoutAPooler() throws Exception {
    try (TestDatabase server = TestDatabase.create();
        HikariDataSource pool = pool(server.jdbcUrl())) {
      assertThat(exchanges(pool, StatementObserver.NONE)).isFalse();
    }
  }

  private boolean exchanges(String mode, boolean inTurn, int processes) throws Exception {
    try (TestDatabase server = TestDatabase.create();
        PgBouncer pooler = PgBouncer.start(server, folder, mode, inTurn);
        HikariDataSource pool = pool(pooler.jdbcUrl())) {
      use(pool, processes);
      return exchanges(pool, StatementObserver.NONE);
    }
  }

  private static boolean exchanges(HikariDataSource pool, StatementObserver observer)
      throws SQLException {
    Session.TransactionSettings settings =
        new Session.TransactionSettings(PATIENCE, PATIENCE, PATIENCE);
    Database database = new Database(pool, settings, observer);
    try (Connection connection = pool.getConnection()) {
      return new PoolerProbe(database).exchangesSessions(connection);
    }
  }

  /** Makes the pooler open as many processes. */
  private static void use(HikariDataSource pool, int processes) throws SQLException {
    List<Connection> open = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      Connection connection = pool.getConnection();
      open.add(connection);
      execute(connection, "begin");
    }
    for (Connection connection : open) {
      execute(connection, "rollback");
      connection.close();
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(IN_USE_AT_ONCE);
    return new HikariDataSource(config);
  }
}
