package dev.rota.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DatabaseException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource({
    "23503, true",
    "P0001, true",
    "57014, true",
    "55P03, false",
    "40P01, false",
    "53100, false"
  })
  void aRefusalIsOneThatComesAgain(String state, boolean refusal) {
    SQLException failure = new SQLException("no", state);
    assertThat(SqlErrors.isRefusal(SqlErrors.translate("run", failure, true))).isEqualTo(refusal);
  }

  @Test
  void aLostConnectionRefusesNothing() {
    SQLException lost = new SQLException("gone", "08006");
    assertThat(SqlErrors.isRefusal(SqlErrors.translate("run", lost, true))).isFalse();
    assertThat(SqlErrors.isRefusal(new IllegalStateException())).isFalse();
  }

  private static SQLException panic() {
    return new SQLException("PANIC: could not write to file \"pg_wal/xlogtemp.7\"", "53100");
  }
}
