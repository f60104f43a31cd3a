package dev.rota.cli.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.cli.common.Secrets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DatabaseAddressTest {

  private static final Map<String, String> LOGIN =
      Map.of("PGUSER", "joe", "PGPASSWORD", "c&n/ry =?");

  private final Secrets secrets = new Secrets();

  @Test
  void takesTheLoginFromTheEnvironment() {
    assertThat(url("jdbc:postgresql://h/db"))
        .isEqualTo("jdbc:postgresql://h/db?user=joe&password=c%26n%2Fry+%3D%3F");
  }

  @Test
  void prefersTheLoginOfTheUrl() {
    String url = "jdbc:postgresql://h/db?user=ann&password=p";
    assertThat(url(url)).isEqualTo(url);
  }

  @Test
  void addsOnlyWhatIsMissing() {
    assertThat(url("jdbc:postgresql://h/db?ssl=true&user=ann"))
        .startsWith("jdbc:postgresql://h/db?ssl=true&user=ann&password=");
  }

  @Test
  void remembersThePasswordInAllItsForms() {
    url("jdbc:postgresql://h/db");
    assertThat(secrets.scrub("c&n/ry =? and c%26n%2Fry+%3D%3F")).isEqualTo("*** and ***");
  }

  private String url(String url) {
    return DatabaseAddress.of(url, LOGIN, secrets).jdbcUrl();
  }
}
