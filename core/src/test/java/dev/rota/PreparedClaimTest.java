package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that claims stay prepared on their connection, and also work unprepared. */
@RotaTest
class PreparedClaimTest {

  private static final String CLAIMS =
      "select statement from pg_prepared_statements where statement like '%picked as materialized%'"
          + " order by name";
  private static final int ENOUGH = 5;
  private static final int MOST_KEPT = 250;
  private static final int MORE_THAN_ARE_KEPT = MOST_KEPT + 5;

  @Given private RotaFixture fixture;
  @Given private Tenant tenant;

  @Test
  void aClaimIsPreparedWhenItIsRepeated() throws SQLException {
    HikariDataSource pool = oneConnection("");
    Tenant acme = connected(pool);
    claimOneByOne(acme, ENOUGH);
    assertThat(claims(pool)).filteredOn(text -> text.contains("task_init_1_0")).hasSize(1);
  }

  @Test
  void nothingIsPreparedWhenTheDriverMayNot() throws SQLException {
    HikariDataSource pool = oneConnection("&prepareThreshold=0");
    claimOneByOne(connected(pool), ENOUGH);
    assertThat(claims(pool)).isEmpty();
  }

  @Test
  void goesOnWhenAPoolerLosesTheStatements() throws SQLException {
    HikariDataSource pool = oneConnection("");
    Tenant acme = connected(pool);
    claimOneByOne(acme, ENOUGH);
    for (String name : names(pool)) {
      execute(pool, "deallocate \"" + name + '"');
    }
    claimOneByOne(acme, ENOUGH);
    assertThat(fixture.number("select count(*) from rota_1.task_init_1_0")).isZero();
    assertThat(fixture.number("select count(*) from rota_1.task_hist_1_1")).isEqualTo(2L * ENOUGH);
  }

  @Test
  void aFailureLeavesThePreparedClaims() throws SQLException {
    HikariDataSource pool = oneConnection("");
    Tenant acme = connected(pool);
    claimOneByOne(acme, ENOUGH);
    List<String> before = claims(pool);
    acme.enqueue(NewTask.of("k", "{}"));
    fixture.execute("alter table rota_1.task_hist_1_1 rename to task_hist_away");
    assertThatThrownBy(() -> acme.claim(1)).isInstanceOf(RotaException.class);
    fixture.execute("alter table rota_1.task_hist_away rename to task_hist_1_1");
    assertThat(acme.claim(1).tasks()).hasSize(1);
    claimOneByOne(acme, ENOUGH);
    // After a failure claims look into further slots, too, and prepare that.
    assertThat(claims(pool)).containsAll(before).doesNotHaveDuplicates();
  }

  @Test
  @Tag("exhaustive")
  void statementsInUseTakeThePlacesOfOthers() throws Exception {
    List<String> names = IntStream.range(0, MORE_THAN_ARE_KEPT).mapToObj(i -> "t" + i).toList();
    fixture.rota().tenants().registerAll(names);
    HikariDataSource pool = oneConnection("");
    Rota rota = fixture.closeLater(Rota.builder(pool).build());
    names.forEach(name -> claimOneByOne(rota.tenants().get(name), ENOUGH));
    Tenant last = rota.tenants().get(names.get(MORE_THAN_ARE_KEPT - 1));
    String table = "task_init_" + last.number() + "_0";
    Await.until(
        "a place for the last one",
        () -> {
          claimOneByOne(last, ENOUGH);
          return claims(pool).stream().anyMatch(text -> text.contains(table));
        });
    assertThat(claims(pool)).hasSizeLessThanOrEqualTo(MOST_KEPT);
  }

  private HikariDataSource oneConnection(String options) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(fixture.database().jdbcUrl() + options);
    config.setMaximumPoolSize(1);
    return fixture.closeLater(new HikariDataSource(config));
  }

  private Tenant connected(HikariDataSource pool) {
    return fixture.closeLater(Rota.builder(pool).build()).tenants().get(tenant.name());
  }

  private static void claimOneByOne(Tenant tenant, int times) {
    tenant.enqueueAll(Collections.nCopies(times, NewTask.of("k", "{}")));
    for (int i = 0; i < times; i++) {
      try (Batch batch = tenant.claim(1)) {
        assertThat(batch.tasks()).hasSize(1);
        batch.settle();
      }
    }
  }

  private static List<String> claims(HikariDataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return RotaFixture.texts(connection, CLAIMS);
    }
  }

  private static List<String> names(HikariDataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return RotaFixture.texts(connection, CLAIMS.replace("select statement", "select name"));
    }
  }

  private static void execute(HikariDataSource pool, String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
