package dev.rota.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests how steps of a clock are told from its even running. */
class ClockWatchTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final ClockWatch watch = new ClockWatch(nanos::get);
  private Instant time = Instant.parse("2026-11-30T12:00:00Z");

  /** The time of the database goes on by the first, that of the process by the second. */
  private Duration note(Duration database, Duration process) {
    time = time.plus(database);
    nanos.addAndGet(process.toNanos());
    return watch.note(time);
  }

  @Test
  void evenRunningIsMeasuredByTheProcess() {
    assertThat(watch.even()).isZero();
    assertThat(note(HOUR, HOUR)).as("nothing is known before").isZero();
    assertThat(watch.even()).isZero();
    assertThat(note(HOUR.plusSeconds(59), HOUR)).isZero();
    assertThat(note(HOUR.minusSeconds(59), HOUR)).isZero();
    assertThat(watch.even()).isEqualTo(HOUR.multipliedBy(2));
  }

  @Test
  void aStepInEitherDirectionBeginsANewMeasurement() {
    note(HOUR, HOUR);
    note(HOUR, HOUR);
    assertThat(note(Duration.ofDays(365), Duration.ofSeconds(1)))
        .isEqualTo(Duration.ofDays(365).minusSeconds(1));
    assertThat(watch.even()).isZero();
    note(HOUR, HOUR);
    assertThat(watch.even()).isEqualTo(HOUR);
    assertThat(note(HOUR.negated(), HOUR)).isEqualTo(HOUR.multipliedBy(-2));
    assertThat(watch.even()).isZero();
  }

  @Test
  void aProcessThatStoodStillMakesNoTimePass() {
    note(HOUR, HOUR);
    assertThat(note(HOUR, Duration.ZERO)).isEqualTo(HOUR);
    assertThat(watch.even()).isZero();
  }
}
