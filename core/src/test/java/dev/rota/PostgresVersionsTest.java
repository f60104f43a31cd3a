package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PostgresVersionsTest {

  private static final int[] VERSIONS = {15, 16, 18};

  @Test
  void propertyChoosesAmongTheVersions() {
    assertThat(PostgresVersionsProvider.chosen(VERSIONS, "newest")).containsExactly(18);
    assertThat(PostgresVersionsProvider.chosen(VERSIONS, "oldest")).containsExactly(15);
    assertThat(PostgresVersionsProvider.chosen(VERSIONS, "all")).containsExactly(15, 16, 18);
  }

  @Test
  void unknownChoiceIsRefused() {
    assertThatThrownBy(() -> PostgresVersionsProvider.chosen(VERSIONS, "some"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rota.test.versions must be newest, oldest or all, not some");
  }
}
