package dev.rota.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.internal.db.Session.TransactionSettings;
import dev.rota.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RotaBuilderTest {

  /** A process that stopped in a claim keeps the tasks of its tenants from others until then. */
  @ParameterizedTest
  @CsvSource({"1, 4s", "6, 9s", "7, 10s", "30, 10s", "3600, 10s"})
  void theServerEndsASilentTransactionSoonAfterTheLeaseAndWithinSeconds(
      int leaseSeconds, String silence) {
    try (TestDatabase empty = TestDatabase.create()) {
      Rota.Builder builder =
          Rota.builder(empty.dataSource()).lease(Duration.ofSeconds(leaseSeconds));
      TransactionSettings settings = RotaBuilder.configOf(builder).process().transactions();
      Database database = new Database(empty.dataSource(), settings, StatementObserver.NONE);
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
