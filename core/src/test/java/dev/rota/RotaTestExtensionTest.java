package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that each test has its own database and tenants, and that static fields are shared. */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
@Tag("exhaustive")
class RotaTestExtensionTest {

  private static final List<String> DATABASES = new ArrayList<>();
  private static final Map<Integer, String> SHARED = new HashMap<>();

  @Given private static RotaFixture shared;

  @Given private int version;
  @Given private RotaFixture fixture;
  @Given private RotaFixture second;
  @Given private Rota rota;
  @Given private TestDatabase database;
  @Given private Tenant globex;
  @Given private Tenant acme;
  private Tenant later;

  @BeforeEach
  void open() {
    later = fixture.tenant("later");
  }

  @Test
  void fieldsAreGivenInTheirOrderBeforeTheSetUp() throws SQLException {
    assertThat(database.number("show server_version_num") / 10_000).isEqualTo(version);
    assertThat(rota).isSameAs(fixture.rota());
    assertThat(second.database().name()).isNotEqualTo(database.name());
    assertThat(database).isSameAs(fixture.database());
    assertThat(fixture.texts("select name from rota.tenant order by number"))
        .containsExactly("globex", "acme", "later");
    assertThat(List.of(globex.number(), acme.number(), later.number())).containsExactly(1, 2, 3);
    assertFresh();
    assertShared();
  }

  @Test
  void eachTestHasADatabaseOfItsOwn() throws SQLException {
    assertThat(acme.enqueue(NewTask.of("k", "{}"))).isEqualTo(1);
    assertFresh();
    assertShared();
  }

  private void assertFresh() throws SQLException {
    assertThat(DATABASES).doesNotContain(version + " " + database.name());
    DATABASES.add(version + " " + database.name());
    assertThat(
            fixture.number(
                "select count(*) from pg_database where datname <> current_database()"
                    + " and datname = any ('{%s}')"
                        .formatted(
                            String.join(
                                ",", DATABASES.stream().map(d -> d.substring(3)).toList()))))
        .as("databases of earlier tests of this class")
        .isZero();
  }

  /** Both tests on one version share this database. */
  private void assertShared() {
    String name = shared.database().name();
    assertThat(name).isNotEqualTo(database.name());
    assertThat(SHARED.computeIfAbsent(version, unused -> name)).isEqualTo(name);
  }
}
