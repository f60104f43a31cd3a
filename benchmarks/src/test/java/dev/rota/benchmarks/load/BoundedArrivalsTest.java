package dev.rota.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BoundedArrivalsTest {

  @Test
  void nothingIsDueUntilEnoughIsHandled() throws InterruptedException {
    Timeline timeline = lasting(TimeUnit.HOURS.toNanos(1));
    BoundedArrivals pace = new BoundedArrivals(timeline, 10, 25);
    assertThat(timeline.isOver(pace.await())).isFalse();
    assertThat(timeline.isOver(pace.await())).isFalse();
    Thread handler = new Thread(() -> pace.handled(5));
    handler.start();
    assertThat(timeline.isOver(pace.await())).isFalse();
    handler.join();
  }

  @Test
  void withoutRoomItIsOverAtTheEnd() throws InterruptedException {
    Timeline timeline = lasting(TimeUnit.MILLISECONDS.toNanos(1));
    BoundedArrivals pace = new BoundedArrivals(timeline, 10, 9);
    assertThat(timeline.isOver(pace.await())).isTrue();
    assertThat(pace.countUnsent(moment -> {})).isZero();
  }

  private static Timeline lasting(long nanos) {
    long now = System.nanoTime();
    return new Timeline(now, now, now + nanos);
  }
}
