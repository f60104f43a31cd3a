package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Tests the connection on which a worker hears the doorbells of other processes. */
@RotaTest
class NotifyListenerTest {

  private static final int CONNECTIONS = 6;

  @Given private RotaFixture fixture;
  private final Faults faults = new Faults();

  /** Any role may send to the channel. */
  @Test
  void messagesThatAreNoDoorbellsAreIgnored() throws Exception {
    Rota rota = fixture.observed(faults);
    ScriptedFault listens = faults.after("listen").watch();
    Connection other = fixture.closeLater(fixture.database().connect());
    RotaFixture.execute(other, "listen rota_doorbell");
    try (Worker worker = worker(rota)) {
      listens.awaitReached();
      for (String message : List.of("a:b", "a:-1", "a:", ":", "a:1,-2,x", "a:99999999999")) {
        RotaFixture.execute(other, "notify rota_doorbell, '" + message + "'");
      }
      String process = UUID.randomUUID().toString();
      RotaFixture.execute(other, "notify rota_doorbell, '" + process + "'");
      Await.until("it answers the process", () -> hears(other, "/" + process));
      assertThat(listens.reached()).isOne();
      assertThat(worker.statistics().done()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("exhaustive")
  void noConnectionThatListensReturnsToThePool(boolean mayFailAgain) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(fixture.database().jdbcUrl());
    config.setMaximumPoolSize(CONNECTIONS);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      try (Rota rota = RotaBuilder.build(Rota.builder(pool), new FaultObserver(faults))) {
        ScriptedFault announcement =
            faults
                .before("notify")
                .byThreads(thread -> thread.getName().equals("rota-doorbell"))
                .fail();
        if (mayFailAgain) {
          faults.before("unlisten").fail();
        }
        try (Worker worker = worker(rota)) {
          announcement.awaitReached();
          assertThat(worker.statistics().done()).isZero();
        }
      }
      assertThat(channels(pool)).isEmpty();
    }
    faults.close();
  }

  private static Worker worker(Rota rota) {
    return rota.worker().handle("k", task -> {}).pollInterval(Duration.ofMinutes(10)).start();
  }

  /** The channels to which connections of the pool listen. */
  private static List<String> channels(HikariDataSource pool) throws SQLException {
    List<Connection> connections = new ArrayList<>();
    List<String> channels = new ArrayList<>();
    try {
      while (connections.size() < CONNECTIONS) {
        connections.add(pool.getConnection());
      }
      for (Connection connection : connections) {
        if (connection.isValid(10)) {
          channels.addAll(RotaFixture.texts(connection, "select pg_listening_channels()"));
        }
      }
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
    return channels;
  }

  private static boolean hears(Connection listener, String part) throws SQLException {
    for (PGNotification message : listener.unwrap(PGConnection.class).getNotifications(10)) {
      if (message.getParameter().endsWith(part)) {
        return true;
      }
    }
    return false;
  }
}
