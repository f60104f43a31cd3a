package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that tasks run whatever a host sets in the JDBC URL. */
@RotaTest
@Tag("exhaustive")
class DriverOptionsTest {

  /** Statements are kept from their second run on. */
  private static final int ROUNDS = 4;

  private static final int TASKS = 5;

  @Given private RotaFixture fixture;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "autosave=always",
        "autosave=conservative",
        "binaryTransfer=false",
        "cleanupSavepoints=true&autosave=always",
        "defaultRowFetchSize=2",
        "preferQueryMode=extendedCacheEverything",
        "preferQueryMode=extendedForPrepared",
        "preferQueryMode=simple",
        "prepareThreshold=0",
        "prepareThreshold=1",
        "preparedStatementCacheQueries=0",
        "reWriteBatchedInserts=true",
        "stringtype=unspecified"
      })
  void tasksRunOnce(String options) {
    try (Rota rota = Rota.connect(fixture.database().jdbcUrl() + '&' + options)) {
      Tenant tenant = rota.tenants().register("acme");
      for (int round = 1; round <= ROUNDS; round++) {
        tenant.enqueue(NewTask.of("k", "{}"));
        tenant.enqueue(NewTask.of("k", "{}").withKey("key " + round));
        tenant.enqueueAll(Collections.nCopies(TASKS, NewTask.of("k", "äöü")));
        Batch batch = tenant.claim(2 * TASKS);
        assertThat(batch.tasks()).hasSize(TASKS + 2);
        batch.settle();
        assertThat(tenant.history().scanStates())
            .containsEntry(TaskState.DONE, (long) round * (TASKS + 2))
            .containsEntry(TaskState.PENDING, 0L);
      }
    }
  }
}
