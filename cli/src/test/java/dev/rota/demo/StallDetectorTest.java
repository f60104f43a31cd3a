package dev.rota.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StallDetectorTest {

  @Test
  void stallsOnlyWhenTheNumberStays() {
    StallDetector impatient = new StallDetector(Duration.ofNanos(-1));
    impatient.observe(1);
    assertThat(impatient.stalled()).isTrue();
    StallDetector patient = new StallDetector(Duration.ofHours(1));
    patient.observe(1);
    patient.observe(1);
    assertThat(patient.stalled()).isFalse();
  }
}
