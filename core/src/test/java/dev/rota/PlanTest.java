package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.PlanTap.Plan;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that the claim keeps its plan when it was planned while the slot was empty. It reads the
 * plans with which the library's own statements ran.
 */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
@Tag("exhaustive")
class PlanTest {

  private static final String CLAIM = "delete from \"rota_1\".\"task_init_1_0\"";
  // Makes a sequential scan look as cheap as it can.
  private static final String KNOWN_TO_BE_EMPTY = "vacuum analyze rota_1.task_init_1_0";
  private static final int UNTIL_GENERIC = 12;
  private static final String UNPREPARED = "own pool that may not prepare";
  private static final int MILLION = 1_000_000;

  private static final List<String> HOSTS_TASTE =
      List.of(
          "default_transaction_isolation=repeatable read",
          "search_path=odd",
          "plan_cache_mode=force_generic_plan");

  @Given private RotaFixture fixture;

  @Test
  void aClaimPlannedOverAnEmptySlotScansNoTableInSequence() throws Exception {
    fixture.execute("create schema odd; create table odd.task_init_1_0 (id bigint)");
    Tenant unused = fixture.tenant("acme");
    fixture.execute(KNOWN_TO_BE_EMPTY);
    List<Client> clients = clients();

    for (Client client : clients) {
      client.claimRepeatedly();
      assertThat(client.tap.plansOf(CLAIM)).hasSize(UNTIL_GENERIC);
    }
    fill();
    for (Client client : clients) {
      client.assertPlanHolds();
    }

    fixture.execute("truncate rota_1.task_init_1_0, rota_1.task_hist_1_1");
    fixture.execute(KNOWN_TO_BE_EMPTY);
    for (Client client : clients) {
      client.claimRepeatedly();
    }
    fill();
    for (Client client : clients) {
      client.assertPlanHolds();
      client.rota.close();
      client.closePool.run();
    }
  }

  private List<Client> clients() {
    List<Client> clients = new ArrayList<>();
    for (String mode : List.of("auto", "force_generic_plan", "force_custom_plan")) {
      clients.add(ownPool(mode));
      clients.add(hostsPool(List.of("plan_cache_mode=" + mode)));
    }
    clients.add(hostsPool(HOSTS_TASTE));
    clients.add(unprepared());
    return clients;
  }

  private Client ownPool(String planCacheMode) {
    PlanTap tap = new PlanTap();
    String url = tap.url(fixture.database(), "plan_cache_mode=" + planCacheMode);
    Rota rota = fixture.closeLater(quiet(Rota.builder(url).poolSize(2)));
    return new Client("own pool, " + planCacheMode, rota, tap, () -> {});
  }

  private Client unprepared() {
    PlanTap tap = new PlanTap();
    String url = tap.url(fixture.database()) + "&prepareThreshold=0";
    return new Client(
        UNPREPARED, fixture.closeLater(quiet(Rota.builder(url).poolSize(2))), tap, () -> {});
  }

  private Client hostsPool(List<String> settings) {
    PlanTap tap = new PlanTap();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(tap.url(fixture.database(), settings.toArray(new String[0])));
    config.setMaximumPoolSize(2);
    HikariDataSource pool = new HikariDataSource(config);
    Rota rota = fixture.closeLater(quiet(Rota.builder(pool)));
    return new Client("host's pool, " + settings, rota, tap, pool::close);
  }

  /** Nothing runs in the background, so that this thread gets the same connection every time. */
  private static Rota quiet(Rota.Builder builder) {
    return builder.registryRefresh(Duration.ofMinutes(1)).lease(Duration.ofHours(1)).build();
  }

  private void fill() throws SQLException {
    fixture.execute(
        "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
            + " select n, now(), 0, 'k', '{}' from generate_series(1, %d) n".formatted(MILLION));
  }

  /** One pool with a Rota over it. */
  private record Client(String name, Rota rota, PlanTap tap, Runnable closePool) {

    void claimRepeatedly() {
      for (int i = 0; i < UNTIL_GENERIC; i++) {
        try (Batch batch = rota.tenants().get("acme").claim(1_000)) {
          assertThat(batch.tasks()).isEmpty();
        }
      }
    }

    void assertPlanHolds() throws SQLException {
      for (int i = 0; i < 3; i++) {
        tap.clear();
        Batch batch = rota.tenants().get("acme").claim(1_000);
        assertThat(batch.tasks()).hasSize(1_000);
        batch.settle();
        assertThat(tap.plansOf(CLAIM)).as(name).hasSize(1);
        Plan plan = tap.plansOf(CLAIM).get(0);
        // Whatever the pool prefers, Rota asks for the generic plan of what it keeps prepared.
        assertThat(plan.isOfPrepared(CLAIM)).as(name).isEqualTo(!name.contains(UNPREPARED));
        assertThat(plan.isGenericOf(CLAIM)).as(name).isEqualTo(!name.contains(UNPREPARED));
        assertThat(plan.text())
            .as(name)
            .contains("Tid Range Scan on task_init_1_0", "Tid Scan on task_init_1_0")
            .doesNotContain("Seq Scan");
      }
    }
  }
}
