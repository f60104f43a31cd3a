package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DaemonCommandTest {

  @Test
  @Tag("exhaustive")
  void leadsUntilItIsInterrupted() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      String url = database.jdbcUrl();
      assertThat(Invocation.of("migrate", "--jdbc-url", url).code()).isZero();
      try (RunningCommandLine daemon =
          new RunningCommandLine(List.of("daemon", "--jdbc-url", url))) {
        daemon.await("rota: leading\n");
        assertThat(daemon.stop()).isZero();
        assertThat(daemon.text()).contains("rota: daemon started", "rota: daemon stops");
      }
    }
  }

  @Test
  void settingsOutOfRangeAreWrongUsage() {
    try (TestDatabase database = TestDatabase.create()) {
      String url = database.jdbcUrl();
      assertThat(Invocation.of("migrate", "--jdbc-url", url).code()).isZero();
      Invocation call = Invocation.of("daemon", "--rotate-every", "1ms", "--jdbc-url", url);
      assertThat(call.code()).isEqualTo(2);
      assertThat(call.err().lines()).hasSize(1);
    }
  }
}
