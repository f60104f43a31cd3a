package dev.rota.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests claims whose statements and rows are more than the buffers of the sockets hold. */
@RotaTest
@Tag("exhaustive")
class ClaimBuffersTest {

  private static final int TENANTS = 60;
  private static final int TASKS = 80;
  private static final int KINDS = 200;
  private static final String KIND = "k".repeat(120);

  @Given private RotaFixture fixture;

  /** Else each side would wait for the other to read. */
  @Test
  @Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void noMoreIsSentBeforeRowsAreReadThanBuffersHold() {
    String url = fixture.database().jdbcUrl() + "&sendBufferSize=16384";
    Rota rota = fixture.closeLater(Rota.builder(url).build());
    Kernel kernel = DefaultRota.kernelOf(rota);
    List<String> names = IntStream.range(0, TENANTS).mapToObj(i -> "tenant " + i).toList();
    NewTask task = NewTask.of(KIND + 0, "x".repeat(4_000));
    for (Tenant tenant : rota.tenants().registerAll(names)) {
      tenant.enqueueAll(Collections.nCopies(TASKS, task));
    }
    List<ClaimRequest> requests =
        rota.tenants().list().stream()
            .map(tenant -> kernel.registry().get(tenant.number()))
            .map(tenant -> new ClaimRequest(tenant, TASKS, ClaimRequest.ALL_SLOTS, false))
            .toList();
    Set<String> kinds =
        IntStream.range(0, KINDS).mapToObj(i -> KIND + i).collect(Collectors.toSet());
    Claimer claimer = kernel.claimers().claimer(kinds, BatchEnd.OPEN);
    assertThat(claimer.claim(requests))
        .allSatisfy(claim -> assertThat(claim.batch().tasks()).hasSize(TASKS));
  }
}
