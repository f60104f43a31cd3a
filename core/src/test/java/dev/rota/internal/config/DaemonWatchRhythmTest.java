package dev.rota.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When an application without a daemon is warned; the tests of the warning itself look sooner. */
class DaemonWatchRhythmTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void warnsWithinAMinuteAndThenOnceAMinute() {
    RotaConfig.WatchRhythm rhythm = new RotaConfig().daemonWatch();
    assertThat(rhythm.first()).isLessThan(MINUTE.dividedBy(2));
    assertThat(rhythm.pause()).isEqualTo(MINUTE);
  }
}
