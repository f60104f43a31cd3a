package dev.rota.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests how long kinds are remembered whose tasks a worker left pending. */
class LeftKindsTest {

  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final AtomicLong clock = new AtomicLong();
  private final LeftKinds left = new LeftKinds(clock::get);

  @Test
  void aKindIsLookedForAgainBeforeItIsForgotten() {
    assertThat(left.meet(7, "lost")).isTrue();
    clock.addAndGet(9 * MINUTE);
    assertThat(left.known(7)).containsExactly("lost");
    assertThat(left.known(8)).as("of another tenant").isEmpty();
    clock.addAndGet(MINUTE);
    assertThat(left.known(7)).isEmpty();
    assertThat(left.lately()).containsExactly("lost");
    assertThat(left.meet(7, "lost")).as("it is news").isFalse();
    clock.addAndGet(19 * MINUTE);
    assertThat(left.lately()).containsExactly("lost");
    clock.addAndGet(MINUTE);
    assertThat(left.lately()).isEmpty();
  }

  @Test
  void kindsOfAllTenantsAreListedUpToABound() {
    assertThat(left.meet(1, "b")).isTrue();
    assertThat(left.meet(2, "b")).isTrue();
    assertThat(left.meet(2, "a")).isTrue();
    assertThat(left.lately()).containsExactly("a", "b");
    IntStream.range(0, 100).forEach(i -> assertThat(left.meet(3, "kind-" + i)).isTrue());
    assertThat(left.lately()).hasSize(50).startsWith("a", "b");
  }
}
