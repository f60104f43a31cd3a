package dev.rota.benchmarks.rivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.rota.testing.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ContendersTest {

  private static final RivalWorkload WORKLOAD = new RivalWorkload(1, 1, 64);

  @Test
  @Tag("exhaustive")
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

  @Test
  @Tag("exhaustive")
  void tenantsOfTheContenderWithAQuotaHaveOne() throws Exception {
    try (TestDatabase database = TestDatabase.create();
        Contender contender = Contenders.open("rotaQuota", database.jdbcUrl(), WORKLOAD);
        RivalProducer producer = contender.producer()) {
      producer.enqueue(0, 1);
      producer.await();
      assertThat(database.texts("select pending from rota.tenant t, rota.room(t.number)"))
          .containsExactly("1");
    }
  }
}
