package dev.rota.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://h/db?user=a&password=canary",
        "jdbc:postgresql://h/db?PASSWORD=canary&ssl=true",
        "Unknown option: '--url=jdbc:postgresql://h/db?password=my canary'",
        "jdbc:postgresql://joe:canary@h/db",
        "jdbc:postgresql://joe:p@ss/canary@h/db",
        "jdbc:postgresql://:canary@h/db",
      })
  void masksWhatLooksLikeOne(String text) {
    assertThat(new Secrets().scrub(text)).doesNotContain("canary").contains("***");
  }

  @Test
  void masksWhatItWasTold() {
    Secrets secrets = new Secrets();
    secrets.add("canary");
    assertThat(secrets.scrub("the server said canary twice: canary"))
        .isEqualTo("the server said *** twice: ***");
  }

  @Test
  void leavesOtherTextAlone() {
    String text = "password authentication failed for user \"rota\" at jdbc:postgresql://h:5432/db";
    assertThat(new Secrets().scrub(text)).isEqualTo(text);
  }

  @Test
  void parametersBehindAPasswordStay() {
    assertThat(new Secrets().scrub("?password=canary&ssl=true"))
        .isEqualTo("?password=***&ssl=true");
  }
}
