package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Faults of the whole server. It runs again when they are over. */
final class ServerFaults {

  /**
   * The file size limit: less than the write-ahead log already has, so that its next write fails;
   * messages fail too.
   */
  private static final long NO_ROOM = 8_192;

  private ServerFaults() {}

  static void kill(ActiveFault fault) throws Exception {
    fault.withServer(
        server -> {
          server.kill();
          restart(server, fault.hold());
        });
  }

  static void stopImmediately(ActiveFault fault) throws Exception {
    fault.withServer(
        server -> {
          server.stopImmediately();
          restart(server, fault.hold());
        });
  }

  static void fillDisk(ActiveFault fault) throws Exception {
    fault.withServer(
        server -> {
          server.limitFileSize(NO_ROOM);
          Await.until("a write fails", () -> !canWrite(server));
          // It cannot even record that it recovered.
          Await.until("the server has stopped by itself", () -> !server.isRunning());
          server.awaitStopped();
          restart(server, fault.hold());
        });
  }

  private static void restart(ControlledServer server, Duration hold) throws Exception {
    assertThat(server.isRunning()).as("the server runs").isFalse();
    // Away for a moment only: the server's own recovery takes as long.
    LockSupport.parkNanos(hold.toNanos() / 10);
    server.restart();
  }

  private static boolean canWrite(ControlledServer server) {
    try {
      server.execute("create table full_disk (); drop table full_disk");
      return true;
    } catch (SQLException e) {
      // The server has no room, or has stopped because of it.
      return false;
    }
  }
}
