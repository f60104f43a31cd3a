package dev.rota.crash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.testing.Await;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests each operation of a controlled server, and its effect. */
abstract class ServerDrills {

  private final int major;
  private ControlledServer server;

  ServerDrills(int major) {
    this.major = major;
  }

  @BeforeEach
  void start() throws Exception {
    server = ControlledServer.start(major);
    server.execute("create table t (n int)");
    server.execute("insert into t values (1)");
  }

  @AfterEach
  void close() throws Exception {
    if (server != null) {
      server.close();
      assertThat(server.isRunning()).isFalse();
    }
  }

  @Test
  void isOfTheVersionAskedFor() throws Exception {
    assertThat(server.number("show server_version_num") / 10_000).isEqualTo(major);
    assertThat(server.texts("show fsync")).containsExactly("on");
  }

  @Test
  void aKilledServerComesBackWithWhatWasCommitted() throws Exception {
    int port = server.port();
    try (Connection open = server.connect()) {
      open.setAutoCommit(false);
      execute(open, "insert into t values (2)");
      server.kill();
      assertThat(server.isRunning()).isFalse();
      assertThatThrownBy(server::connect).isInstanceOf(SQLException.class);
      server.restart();
      assertThatThrownBy(open::commit).isInstanceOf(SQLException.class);
    }
    assertThat(server.port()).isEqualTo(port);
    assertThat(server.texts("select n from t")).containsExactly("1");
    assertThat(Files.readString(server.log())).contains("was not properly shut down");
  }

  @Test
  void aKilledBackendBringsDownTheOthers() throws Exception {
    try (Connection victim = server.connect();
        Connection bystander = server.connect()) {
      assertThat(server.killBackend(ControlledServer.backendOf(victim))).isTrue();
      server.awaitReady();
      assertThatThrownBy(() -> execute(victim, "select 1")).isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> execute(bystander, "select 1")).isInstanceOf(SQLException.class);
    }
    assertThat(server.isRunning()).isTrue();
    assertThat(server.number("select count(*) from t")).isEqualTo(1);
    assertThat(Files.readString(server.log())).contains("was terminated by signal 9");
    assertThat(server.killBackend(1)).isFalse();
  }

  @Test
  void aTerminatedBackendIsTheOnlyOneToGo() throws Exception {
    try (Connection victim = server.connect();
        Connection bystander = server.connect()) {
      int pid = ControlledServer.backendOf(victim);
      assertThat(server.terminateBackend(pid)).isTrue();
      assertThatThrownBy(() -> execute(victim, "select 1"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P01"));
      execute(bystander, "select 1");
    }
  }

  @Test
  void aStoppedServerStartsAgain() throws Exception {
    server.stopImmediately();
    assertThat(server.isRunning()).isFalse();
    server.restart();
    assertThatThrownBy(server::restart).hasMessageContaining("runs already");
    server.stopFast();
    server.restart();
    assertThat(server.number("select count(*) from t")).isEqualTo(1);
    assertThat(Files.readString(server.log()))
        .contains("received immediate shutdown request", "received fast shutdown request");
  }

  @Test
  void aFileThatMustNotGrowIsLikeAFullDisk() throws Exception {
    String growth = "insert into t select 1 from generate_series(1, 1000000)";
    server.limitFileSize(20 << 20);
    try {
      assertThatThrownBy(() -> server.execute(growth)).hasMessageContaining("could not extend");
    } finally {
      server.liftFileSizeLimit();
    }
    server.execute(growth);
    assertThat(server.number("select count(*) from t")).isEqualTo(1_000_001);
  }

  @Test
  void aRestoredBackupHasWhatWasCommittedBefore() throws Exception {
    try (BaseBackup backup = server.baseBackup()) {
      server.execute("insert into t values (2)");
      server.kill();
      try (ControlledServer restored = backup.restored().start()) {
        restored.execute("insert into t values (3)");
        assertThat(restored.texts("select n from t order by n")).containsExactly("1", "3");
      }
    }
  }

  @Test
  void aStandbyFollowsAndTakesOver() throws Exception {
    try (BaseBackup backup = server.baseBackup();
        ControlledServer standby = backup.standbyOf(server.port(), "second").start()) {
      server.awaitStreaming("second");
      server.execute("alter system set synchronous_standby_names = 'second'");
      server.execute("select pg_reload_conf()");
      Await.until(
          "commits wait for the standby",
          () ->
              server.number("select count(*) from pg_stat_replication where sync_state = 'sync'")
                  > 0);
      server.execute("insert into t values (2)");
      server.kill();
      standby.promote();
      standby.execute("insert into t values (3)");
      assertThat(standby.texts("select n from t order by n")).containsExactly("1", "2", "3");
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
