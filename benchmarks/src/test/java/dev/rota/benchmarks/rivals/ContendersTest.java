package dev.rota.benchmarks.rivals;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.Test;

class ContendersTest {

  private static final RivalWorkload WORKLOAD = new RivalWorkload(1, 1, 64);

  @Test
  void contenderOfNodeTellsHowToInstallIt() {
    assumeThat(System.getenv("ROTA_GRAPHILE_WORKER")).isNull();
    assertThatThrownBy(() -> Contenders.open("graphileWorker", "jdbc:postgresql://no", WORKLOAD))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("set ROTA_GRAPHILE_WORKER")
        .hasMessageContaining("npm install graphile-worker");
  }

  @Test
  void unknownContenderIsNamed() {
    assertThatThrownBy(() -> Contenders.open("other", "jdbc:postgresql://no", WORKLOAD))
        .hasMessage("there is no contender other");
  }
}
