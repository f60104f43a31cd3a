package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.Await;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that rows of a wait table that can never become due do not delay others. */
@RotaTest
@Tag("exhaustive")
class InvalidWaitTest {

  private static final String INSERT =
      "insert into rota_%1$d.task_wait_%1$d (id, run_at, created_at, attempt, kind, payload, lane)";

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;

  @ParameterizedTest
  @ValueSource(strings = {"'infinity'", "null"})
  void anOddRowIsSetAsideAndAllOthersArePromoted(String runAt) throws Exception {
    // More of them than are promoted at a time, and in front of all others.
    wait(
        acme,
        "select n, %s, now(), 0, 'k', 'p', null from generate_series(1, 6000) n".formatted(runAt));
    wait(acme, "select 10000 + n, now(), now(), 0, 'k', 'p', null from generate_series(1, 5) n");
    wait(other, "select n, now(), now(), 0, 'k', 'p', null from generate_series(1, 5) n");
    fixture.daemon(settings -> settings);
    Await.until("all others are pending", () -> pending(acme) == 5 && pending(other) == 5);
    Await.until("all are set aside", () -> dead("its run_at"), 6_000);
    assertThat(
            fixture.number("select sum(rows) from rota.set_aside where tenant = " + acme.number()))
        .isEqualTo(6_000);
    assertThat(fixture.number("select count(*) from rota_1.task_wait_1")).isZero();
  }

  /** Producers were told that these tasks are stored: the lane was lost with a server, say. */
  @ParameterizedTest
  @ValueSource(ints = {7, -3, 0})
  void aRowOfALaneThatDoesNotExistRunsInLane0(int lane) throws Exception {
    wait(
        acme,
        "select n, now(), now(), 0, 'k', 'p', %d from generate_series(1, 6000) n".formatted(lane));
    wait(acme, "select 10000 + n, now(), now(), 0, 'k', 'p', null from generate_series(1, 5) n");
    fixture.daemon(settings -> settings);
    Await.until("all are pending", () -> pending(acme), 6_005);
    assertThat(fixture.number("select count(*) from rota_1.task_wait_1")).isZero();
    assertThat(fixture.number("select count(*) from rota.set_aside")).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {"'-infinity'", "'4713-01-01 BC'", "'0001-01-01'"})
  void aRowThatIsDueForEverIsPromoted(String runAt) throws Exception {
    wait(acme, "select 1, %s, now(), 0, 'k', 'p', null".formatted(runAt));
    fixture.daemon(settings -> settings);
    Await.until("it is pending", () -> pending(acme), 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {"'294276-12-31'", "'9999-01-01'"})
  void aRowOfADistantFutureWaits(String runAt) throws Exception {
    wait(acme, "select 1, %s, now(), 0, 'k', 'p', null".formatted(runAt));
    wait(acme, "select 2, now(), now(), 0, 'k', 'p', null");
    fixture.daemon(settings -> settings);
    Await.until("the other one is pending", () -> pending(acme), 1);
    assertThat(fixture.number("select count(*) from rota_1.task_wait_1")).isOne();
  }

  private void wait(Tenant tenant, String rows) throws Exception {
    fixture.execute(INSERT.formatted(tenant.number()) + rows);
  }

  private long pending(Tenant tenant) throws Exception {
    return fixture.number(
        "select count(*) from rota_%1$d.task_init_%1$d where state = 'pending'"
            .formatted(tenant.number()));
  }

  private long dead(String reason) throws Exception {
    return fixture.number(
        "select count(*) from rota_1.task_hist_1 where state = 'dead' and error like '%"
            + reason
            + "%'");
  }
}
