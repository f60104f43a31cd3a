package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.Tenant;
import dev.rota.testing.Documents;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the example in docs/metering.md is this compiled one, and runs. */
class MeteringDocTest {

  @Test
  void showsTheCompiledExample() {
    assertThat(Documents.blocks("docs/metering.md", "java"))
        .contains(
            Documents.region("core/src/test/java/dev/rota/docs/MeteringExample.java", "usage"));
  }

  @Test
  void exampleRuns() {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.rota().tenants().register("acme");
      acme.enqueue(NewTask.of("k", "{}"));
      try (Batch batch = acme.claim(1)) {
        batch.settle();
      }
      List<String> bill = new ArrayList<>();
      MeteringExample.bill(fixture.rota(), bill::add);
      assertThat(bill).singleElement().satisfies(line -> assertThat(line).endsWith(":00:00Z 0"));
    }
  }
}
