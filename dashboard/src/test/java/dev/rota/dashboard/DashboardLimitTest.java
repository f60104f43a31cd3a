package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a page whose statements take long does not keep its viewer waiting. */
@RotaTest
@Tag("exhaustive")
class DashboardLimitTest {

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @ParameterizedTest
  @CsvSource({
    "rota.schedule, /schedules",
    "rota.rule, /limits",
    "rota.audit, /audit",
    "rota_1.task_hist_1_1, /tenant",
    "rota_1.task_hist_1_1, /actions/redrive"
  })
  void aSlowStatementIsSaid(String table, String path) throws SQLException {
    acme.enqueue(NewTask.of("mail", "{}"));
    Browsing browsing =
        new Browsing(
            Dashboard.builder(fixture.rota())
                .access(DashboardAccess.everyone(Right.values()))
                .build());
    String[] parameters = {"name", "acme", "tenant", "acme"};
    try (Connection other = fixture.begin()) {
      RotaFixture.execute(other, "lock table " + table + " in access exclusive mode");
      DashboardResponse slow = browsing.get(path, parameters);
      assertThat(Browsing.text(slow))
          .contains("The database took longer than 2 s")
          .contains("canceling statement due to statement timeout")
          .contains("pg_stat_activity");
      assertThat(slow.status()).isEqualTo(path.startsWith("/actions") ? 200 : 503);
      other.rollback();
    }
    assertThat(browsing.page(path, parameters)).doesNotContain("took longer");
  }

  @Test
  void otherPagesDoNotWait() throws SQLException {
    Browsing browsing = new Browsing(Dashboard.builder(fixture.rota()).build());
    try (Connection other = fixture.begin()) {
      RotaFixture.execute(other, "lock table rota.schedule in access exclusive mode");
      assertThat(browsing.page("/")).contains("Overview");
      assertThat(browsing.get("/schedules").status()).isEqualTo(503);
      assertThat(browsing.page("/tenants")).contains("acme");
      other.rollback();
    }
  }
}
