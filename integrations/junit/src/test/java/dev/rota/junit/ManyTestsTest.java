package dev.rota.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Tenant;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;

/** Shows what tests cost: surefire prints the time of all, and their reports that of each. */
@Tag("long")
@RotaTest
class ManyTestsTest {

  @RepeatedTest(200)
  void remindsAfterTwoWeeks(TestRota rota, Tenant acme) {
    rota.handlers(worker -> worker.handle("remind", task -> {}));
    acme.enqueue(NewTask.of("remind", "{}").after(Duration.ofDays(14)));
    assertThat(rota.drain()).isZero();
    assertThat(rota.advance(Duration.ofDays(14)).drain()).isOne();
    rota.assertThat(acme).ran("remind").once();
  }
}
