package dev.rota.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.testing.Await;
import org.junit.jupiter.api.Test;

/** Tests of which tenants a claimer remembers where their tasks begin. */
@RotaTest
class ClaimMemoryTest {

  private final ClaimMemory memory = new ClaimMemory(0.1, System::nanoTime);
  @Given private RotaFixture fixture;

  @Test
  void tenantsThatAreInUseAreRemembered() {
    TenantRegistry registry = DefaultRota.kernelOf(fixture.rota()).registry();
    TenantRef used = registry.get(fixture.tenant("used").number());
    ClaimMemory.LaneHints hints = memory.hintsOf(used);
    rememberAndForget(registry);
    Await.until(
        "the other one is forgotten",
        () -> {
          System.gc();
          return memory.size() == 1;
        });
    assertThat(memory.hintsOf(used)).isSameAs(hints);
  }

  private void rememberAndForget(TenantRegistry registry) {
    TenantRef gone = registry.get(fixture.tenant("gone").number());
    ClaimMemory.LaneHints hints = memory.hintsOf(gone);
    assertThat(memory.size()).isEqualTo(2);
    assertThat(memory.boundOf(gone).rows(10)).isEqualTo(10);
    assertThat(memory.hintsOf(gone)).isSameAs(hints);
    registry.forget(gone.number());
  }
}
