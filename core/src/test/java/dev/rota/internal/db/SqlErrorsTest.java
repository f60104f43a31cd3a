package dev.rota.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DatabaseException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class SqlErrorsTest {

  @Test
  void aServerThatGoesDownWithAnErrorOfItsOwnIsAway() {
    SQLException panic = panic();
    assertThat(SqlErrors.isUnavailable(panic)).isFalse();
    panic.setNextException(new SQLException("An I/O error occurred", "08006"));
    assertThat(SqlErrors.isUnavailable(panic)).isTrue();
  }

  @Test
  void nobodyKnowsTheOutcomeOfACommitThatTheServerDidNotSurvive() {
    SQLException panic = panic();
    panic.setNextException(new SQLException("An I/O error occurred", "08006"));
    assertThat(SqlErrors.translate("enqueue", panic, true))
        .isInstanceOfSatisfying(
            DatabaseException.class,
            e -> {
              assertThat(e.unavailable()).isTrue();
              assertThat(e.outcomeUnknown()).isTrue();
            });
  }

  private static SQLException panic() {
    return new SQLException("PANIC: could not write to file \"pg_wal/xlogtemp.7\"", "53100");
  }
}
