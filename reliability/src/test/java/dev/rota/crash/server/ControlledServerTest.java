package dev.rota.crash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.processes.ProcessLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the newest server; the crash suite tests the others. */
@ExtendWith(ProcessLogs.class)
@Tag("exhaustive")
class ControlledServerTest extends ServerDrills {

  private static final byte[] MEGABYTE = new byte[1 << 20];

  ControlledServerTest() {
    super(18);
  }

  @Test
  void aFullDiskTakesNothingMore() throws Exception {
    Path directory;
    try (SmallDisk disk = SmallDisk.mount(4)) {
      directory = disk.directory();
      Path file = directory.resolve("file");
      disk.fill();
      assertThat(disk.free()).isZero();
      assertThatThrownBy(() -> Files.write(file, MEGABYTE))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("No space left");
      disk.empty();
      Files.write(file, MEGABYTE);
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void theLogCanLieOnADiskOfItsOwn() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(64);
        ControlledServer server = ControlledServer.builder(18).walIn(disk.directory()).start()) {
      assertThat(disk.free()).isLessThanOrEqualTo(48 << 20);
      disk.fill();
      assertThatThrownBy(
              () ->
                  server.execute(
                      "create table filler as select repeat(md5(n::text), 30) from"
                          + " generate_series(1, 100000) n"))
          .isInstanceOf(Exception.class);
      server.awaitStopped();
      assertThat(Files.readString(server.log())).contains("PANIC", "No space left on device");
      disk.empty();
      server.restart();
      server.execute("create table t (n int)");
    }
  }
}
