package dev.rota.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.StatementObserver;
import dev.rota.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RotaConfigTest {

  /** A process that stopped in a claim keeps the tasks of its tenants from others until then. */
  @ParameterizedTest
  @CsvSource({"1, 4s", "6, 9s", "7, 10s", "30, 10s", "3600, 10s"})
  void theServerEndsASilentTransactionSoonAfterTheLeaseAndWithinSeconds(
      int leaseSeconds, String silence) {
    RotaConfig settings = new RotaConfig();
    settings.lease(Duration.ofSeconds(leaseSeconds));
    try (TestDatabase empty = TestDatabase.create()) {
      Database database =
          new Database(empty.dataSource(), settings.transactions(), StatementObserver.NONE);
      assertThat(database.<String>transaction("look", session -> session.run(silence()).get(0)))
          .isEqualTo(silence);
    }
  }

  private static BoundStatement<List<String>> silence() {
    return BoundStatement.query(
        "read silence",
        "select current_setting('idle_in_transaction_session_timeout')",
        row -> row.getString(1));
  }
}
