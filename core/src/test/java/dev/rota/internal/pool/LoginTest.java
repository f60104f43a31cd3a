package dev.rota.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a URL is divided into a part that may be shown and its secrets. */
class LoginTest {

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://h:5/d?user=u&password=p%26q&ssl=false, jdbc:postgresql://h:5/d?user=u&ssl=false, p&q",
    "jdbc:postgresql://h/d?password=p, jdbc:postgresql://h/d, p",
    "jdbc:postgresql://h/d?user=u, jdbc:postgresql://h/d?user=u,",
    "jdbc:postgresql://h/d, jdbc:postgresql://h/d,",
    "jdbc:wrapper:postgresql://h/d?password=p%26q&user=u, jdbc:wrapper:postgresql://h/d?user=u, p&q",
    "jdbc:wrapper:postgresql://h/d, jdbc:wrapper:postgresql://h/d,"
  })
  void thePasswordIsKeptApart(String jdbcUrl, String url, String password) {
    Login login = Login.of(jdbcUrl);
    assertThat(login.url()).isEqualTo(url);
    assertThat(login.properties().getProperty("password")).isEqualTo(password);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "postgresql://u:secret@h/d", "jdbc:postgresql://h:x/d?password=secret"})
  void whatIsMalformedIsRefusedUnseen(String jdbcUrl) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Login.of(jdbcUrl))
        .withMessageContaining("the JDBC URL is malformed")
        .withMessageNotContaining("secret");
  }
}
