package dev.rota.daemon.internal.rotation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.daemon.internal.rotation.RingSurvey.DueQueue;
import dev.rota.daemon.internal.rotation.RingSurvey.RingStatus;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.tenant.TenantRef;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the order in which rings are switched, and postponed ones are tried again. */
@RotaTest
class DueQueueTest {

  private static final int SLOTS_OF_A_RING = 3;

  @Given private Rota rota;

  private final Set<Integer> postponed = new HashSet<>();
  private final Set<Integer> resting = new HashSet<>();
  private final DueQueue queue =
      new DueQueue(
          status -> true,
          ring -> postponed.contains(ring.lane()),
          ring -> !resting.contains(ring.lane()),
          due -> {});
  private TenantRef tenant;

  @BeforeEach
  void register() {
    int number = rota.tenants().register("acme").number();
    tenant = DefaultRota.kernelOf(rota).registry().get(number);
  }

  @Test
  void ringsComeInTheOrderOfTheSurvey() {
    survey(3);
    assertThat(takeAll()).containsExactly(0, 1, 2);
  }

  @Test
  void postponedRingsGetEverySecondTurn() {
    postponed.addAll(List.of(0, 1));
    survey(5);
    assertThat(takeAll()).containsExactly(2, 0, 3, 1, 4);
  }

  @Test
  void aPostponedRingIsTriedAlthoughOthersAreAlwaysDue() {
    postponed.add(3);
    Set<Integer> tried = new HashSet<>();
    for (int i = 0; i < 2; i++) {
      survey(4);
      tried.add(take());
    }
    assertThat(tried).contains(3);
  }

  @Test
  void aPostponedRingRestsFirst() {
    postponed.add(0);
    resting.add(0);
    survey(2);
    assertThat(takeAll()).containsExactly(1);
    resting.clear();
    assertThat(takeAll()).containsExactly(0);
  }

  private void survey(int rings) {
    queue.renew(IntStream.range(0, rings).mapToObj(this::status).toList());
  }

  private RingStatus status(int lane) {
    return new RingStatus(
        new TenantCatalog.Entry(tenant, List.of(), 0),
        1,
        new RingStatus.Ring(SLOTS_OF_A_RING * lane, 1, true),
        new RingStatus.Segment(1, 1, false, false, false));
  }

  private int take() {
    return queue.take().orElseThrow().id().lane();
  }

  private List<Integer> takeAll() {
    return IntStream.generate(() -> queue.take().map(ring -> ring.id().lane()).orElse(-1))
        .takeWhile(lane -> lane >= 0)
        .boxed()
        .toList();
  }
}
