package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.PlanTap.Plan;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a claim reads as many pages after many claimed tasks as at first. */
@Tag("exhaustive")
class ClaimCostTest {

  private static final int MANY = 300_000;
  private static final int THREE_MILLION = 3_000_000;
  private static final int BULK = 10_000;
  private static final int SMALL = 10;
  private static final String CLAIM = "delete from \"rota_1\".\"task_init_1_0\"";
  private static final Pattern BUFFERS =
      Pattern.compile("\\n\\s*Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  @Test
  void claimsCostTheSameAfterMany() throws Exception {
    assertCostStaysTheSame(MANY);
  }

  @Test
  void claimsCostTheSameAfterManyBehindAnIdleTransaction() throws Exception {
    assertCostStaysTheSameBehindAnIdleTransaction(MANY);
  }

  @Test
  @Tag("long")
  void claimsCostTheSameAfterThreeMillion() throws Exception {
    assertCostStaysTheSame(THREE_MILLION);
  }

  @Test
  @Tag("long")
  void claimsCostTheSameAfterThreeMillionBehindAnIdleTransaction() throws Exception {
    assertCostStaysTheSameBehindAnIdleTransaction(THREE_MILLION);
  }

  private static void assertCostStaysTheSame(int tasks) throws SQLException {
    try (RotaFixture fixture = RotaFixture.open()) {
      assertCostStaysTheSame(fixture, tasks);
    }
  }

  private static void assertCostStaysTheSameBehindAnIdleTransaction(int tasks) throws SQLException {
    try (RotaFixture fixture = RotaFixture.open();
        Connection idle = fixture.database().connect()) {
      idle.setAutoCommit(false);
      idle.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      RotaFixture.texts(idle, "select pg_current_xact_id()");
      assertCostStaysTheSame(fixture, tasks);
    }
  }

  private static void assertCostStaysTheSame(RotaFixture fixture, int tasks) throws SQLException {
    PlanTap tap = new PlanTap();
    Rota rota = fixture.closeLater(Rota.builder(tap.url(fixture.database())).build());
    Tenant acme = RotaFixture.tenant(rota, "acme");
    fixture.execute(
        "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
            + " select n, now(), 0, 'k', '{}' from generate_series(1, %d) n"
                .formatted(tasks + 100 * SMALL));
    long first = medianCost(acme, tap);
    for (int claimed = 0; claimed < tasks; claimed += BULK) {
      assertThat(acme.claim(BULK).tasks()).hasSize(BULK);
    }
    long last = medianCost(acme, tap);
    assertThat(last).as("pages of a claim, %d at first", first).isLessThan(first + first / 10 + 10);
  }

  /** Of many claims: once a second one looks from block 0 on, which is not meant here. */
  private static long medianCost(Tenant acme, PlanTap tap) {
    tap.clear();
    for (int i = 0; i < 50; i++) {
      assertThat(acme.claim(SMALL).tasks()).hasSize(SMALL);
    }
    List<Plan> plans = tap.plansOf(CLAIM);
    tap.clear();
    assertThat(plans).hasSizeBetween(50, 60);
    return plans.stream()
        .mapToLong(ClaimCostTest::pages)
        .sorted()
        .skip(25)
        .findFirst()
        .orElseThrow();
  }

  /** The first node's buffers are those of the whole statement. */
  private static long pages(Plan plan) {
    Matcher buffers = BUFFERS.matcher(plan.text());
    assertThat(buffers.find()).as(plan.text()).isTrue();
    return number(buffers.group(1)) + number(buffers.group(2));
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
