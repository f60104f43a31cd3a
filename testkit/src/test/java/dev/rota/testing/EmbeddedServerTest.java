package dev.rota.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EmbeddedServerTest {
  private final AtomicInteger attempts = new AtomicInteger();

  @Test
  void startIsTriedAgain() {
    assertThat(EmbeddedServer.startWith(() -> startAtAttempt(3))).isEqualTo(3);
  }

  @Test
  void lastFailureIsNamed() {
    assertThatThrownBy(() -> EmbeddedServer.startWith(() -> startAtAttempt(4)))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("the port of attempt 3 is taken");
    assertThat(attempts).hasValue(3);
  }

  /** A proxy of another JVM took such a port, and the start waited for the proxy's server. */
  @Test
  void portIsNotOneThatSystemsChoose() {
    assertThat(TestServer.embedded(18).source().getPortNumbers()[0]).isBetween(15_000, 31_999);
  }

  private int startAtAttempt(int successful) throws IOException {
    int attempt = attempts.incrementAndGet();
    if (attempt < successful) {
      throw new IOException("the port of attempt " + attempt + " is taken");
    }
    return attempt;
  }
}
