package dev.rota.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests the choice of workers for tenants. */
class RendezvousTest {

  private static final int TENANTS = 10_000;
  private final Set<Long> workers = new HashSet<>(LongStream.rangeClosed(1, 10).boxed().toList());

  @Test
  void eachTenantHasSoManyWorkers() {
    for (int most = 1; most <= 11; most++) {
      for (int tenant = 1; tenant <= 100; tenant++) {
        assertThat(chosen(workers, most, tenant)).hasSize(Math.min(most, 10));
      }
    }
  }

  @Test
  void workersHaveAboutEqualNumbersOfTenants() {
    for (long worker : workers) {
      long its =
          IntStream.range(0, TENANTS)
              .filter(tenant -> Rendezvous.chooses(worker, workers, 2, tenant))
              .count();
      assertThat(its).isBetween(1_800L, 2_200L);
    }
  }

  /** Of ten workers that are taken two at a time there are 45 pairs. */
  @Test
  void fewTenantsShareAllTheirWorkers() {
    Set<Set<Long>> pairs = new HashSet<>();
    IntStream.range(0, TENANTS).forEach(tenant -> pairs.add(chosen(workers, 2, tenant)));
    assertThat(pairs).hasSize(45);
  }

  @Test
  void onlyTheTenantsOfADeadWorkerMove() {
    Set<Long> left = new HashSet<>(workers);
    left.remove(3L);
    for (int tenant = 0; tenant < 1_000; tenant++) {
      Set<Long> before = chosen(workers, 2, tenant);
      Set<Long> after = chosen(left, 2, tenant);
      if (before.contains(3L)) {
        assertThat(after).containsAll(before.stream().filter(worker -> worker != 3).toList());
      } else {
        assertThat(after).isEqualTo(before);
      }
    }
  }

  private static Set<Long> chosen(Set<Long> workers, int most, int tenant) {
    Set<Long> chosen = new LinkedHashSet<>(workers);
    chosen.removeIf(worker -> !Rendezvous.chooses(worker, workers, most, tenant));
    return chosen;
  }
}
