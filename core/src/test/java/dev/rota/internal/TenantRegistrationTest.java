package dev.rota.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that many names are registered in groups, on two threads, up to the first failure. */
class TenantRegistrationTest {

  private static final List<String> NAMES =
      IntStream.range(0, 1_000).mapToObj(number -> "t" + number).toList();

  private final Queue<List<String>> groups = new ConcurrentLinkedQueue<>();

  @Test
  void eachNameIsRegisteredOnce() {
    new TenantRegistration(NAMES, groups::add).run();
    assertThat(groups.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(NAMES);
    assertThat(groups).allSatisfy(group -> assertThat(group).hasSizeBetween(1, 25));
  }

  @Test
  void twoGroupsAreRegisteredAtOnce() {
    CyclicBarrier both = new CyclicBarrier(2);
    new TenantRegistration(
            NAMES.subList(0, 50),
            group -> {
              await(both);
              groups.add(group);
            })
        .run();
    assertThat(groups).hasSize(2);
  }

  @Test
  void aFailureEndsTheRest() {
    assertThatThrownBy(
            () ->
                new TenantRegistration(
                        NAMES,
                        group -> {
                          groups.add(group);
                          throw new IllegalStateException("refused");
                        })
                    .run())
        .hasMessage("refused");
    assertThat(groups).hasSizeBetween(1, 2);
  }

  @Test
  void bothFailuresAreTold() {
    CyclicBarrier both = new CyclicBarrier(2);
    assertThatThrownBy(
            () ->
                new TenantRegistration(
                        NAMES,
                        group -> {
                          await(both);
                          throw new AssertionError("of " + group.get(0));
                        })
                    .run())
        .isInstanceOf(AssertionError.class)
        .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
  }

  private static void await(CyclicBarrier both) {
    try {
      both.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }
}
