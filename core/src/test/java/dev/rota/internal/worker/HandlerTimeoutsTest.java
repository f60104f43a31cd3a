package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests the watch over the time limits of handlers. */
class HandlerTimeoutsTest {

  @Test
  void noAlarmIsKeptAfterItsCall() throws Throwable {
    try (HandlerTimeouts timeouts = new HandlerTimeouts()) {
      for (int i = 0; i < 100; i++) {
        int during = timeouts.run(Duration.ofMinutes(10), timeouts::alarms);
        assertThat(during).isOne();
      }
      assertThat(timeouts.alarms()).isZero();
    }
  }
}
