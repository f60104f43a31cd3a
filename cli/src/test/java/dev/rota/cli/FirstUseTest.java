package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.crash.server.FaultProxy;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the first use of the library while the server runs, but accepts no logins yet. */
@Tag("exhaustive")
class FirstUseTest {

  private static final int ATTEMPTS = 3;

  @ParameterizedTest
  @ValueSource(strings = {"57P01", "57P03", "53300"})
  void waitsForAServerThatIsAboutToTakeLogins(String state) throws Exception {
    ExecutorService caller = Executors.newSingleThreadExecutor();
    try (TestDatabase database = MigratedDatabase.create();
        RefusingServer refusing = new RefusingServer(state);
        FaultProxy network = FaultProxy.to(refusing.port());
        Rota rota = Rota.connect(network.through(database.jdbcUrl()))) {
      Future<?> use = caller.submit(() -> rota.tenants().list());
      while (network.accepted() <= ATTEMPTS && !use.isDone()) {
        Thread.onSpinWait();
      }
      assertThat(use.isDone()).isFalse();
      network.pointTo(URI.create(database.jdbcUrl().substring("jdbc:".length())).getPort());
      assertThat(use).succeedsWithin(Duration.ofSeconds(30));
    } finally {
      caller.shutdownNow();
    }
  }
}
