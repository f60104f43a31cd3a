package dev.rota.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.internal.config.RotaConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Tests when an application without a daemon is warned; the tests of the warning itself use shorter
 * times.
 */
class DaemonWatchRhythmTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void warnsWithinAMinuteAndThenOnceAMinute() {
    RotaConfig.WatchRhythm rhythm =
        RotaBuilder.configOf(Rota.builder("jdbc:postgresql:")).timing().daemonWatch();
    assertThat(rhythm.first()).isLessThan(MINUTE.dividedBy(2));
    assertThat(rhythm.pause()).isEqualTo(MINUTE);
  }
}
