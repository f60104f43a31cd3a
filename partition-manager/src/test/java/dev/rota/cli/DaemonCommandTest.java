package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DaemonCommandTest {

  @Test
  void leadsUntilItIsInterrupted() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      String url = database.jdbcUrl();
      assertThat(Invocation.of("migrate", "--jdbc-url", url).code()).isZero();
      Heard heard = new Heard("rota: leading");
      FutureTask<Integer> daemon =
          new FutureTask<>(
              () -> RotaCommand.run(new String[] {"daemon", "--jdbc-url", url}, heard.terminal()));
      Thread thread = new Thread(daemon, "daemon-command");
      thread.start();
      assertThat(heard.latch.await(30, TimeUnit.SECONDS)).as(heard.text()).isTrue();
      thread.interrupt();
      assertThat(daemon.get(30, TimeUnit.SECONDS)).isZero();
      assertThat(heard.text()).contains("rota: daemon started", "rota: daemon stops");
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

  /** Output that opens a latch when a text appears in it. */
  private static final class Heard extends ByteArrayOutputStream {

    private final CountDownLatch latch = new CountDownLatch(1);
    private final String awaited;

    Heard(String awaited) {
      this.awaited = awaited;
    }

    Terminal terminal() {
      PrintStream stream = new PrintStream(this, true, StandardCharsets.UTF_8);
      return new Terminal(stream, stream, new ByteArrayInputStream(new byte[0]), Map.of(), false);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
      super.write(bytes, offset, length);
      if (text().contains(awaited)) {
        latch.countDown();
      }
    }

    synchronized String text() {
      return toString(StandardCharsets.UTF_8);
    }
  }
}
