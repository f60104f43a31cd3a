package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.OverlappingRuns;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a hundred thousand occurrences with workers free: none is early, and 99 of 100 begin within
 * a second.
 */
@Tag("long")
@RotaTest
class ScheduleLatenessTest {

  private static final Logger log = LoggerFactory.getLogger(ScheduleLatenessTest.class);
  private static final int TENANTS = 50;
  private static final int SCHEDULES = 40;
  private static final int SECONDS = 50;

  @Given private DaemonFixture fixture;

  @Test
  void ofAHundredThousandNoneIsEarlyAndFewAreLate() throws Exception {
    List<Tenant> tenants = new ArrayList<>();
    for (int i = 0; i < TENANTS; i++) {
      tenants.add(fixture.rota().tenants().register("t" + i));
    }
    Instant start =
        Instant.parse(
                fixture.text(
                    "select to_char(now() at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"))
            .plusSeconds(10);
    tenants.forEach(tenant -> declare(tenant, start));
    fixture.daemon(settings -> settings.rotateEvery(Duration.ofDays(7)));
    try (Worker worker =
        fixture
            .another(builder -> builder.poolSize(12))
            .worker()
            .handle("k", task -> {})
            .concurrency(8)
            .start()) {
      Await.until(
          "the last second is over",
          Duration.ofSeconds(SECONDS + 60),
          () ->
              fixture.number(
                      "select count(*) from rota.schedule where planned_at >= '"
                          + start.plusSeconds(SECONDS)
                          + "'")
                  == (long) TENANTS * SCHEDULES);
      Await.until(
          "all have run", () -> worker.statistics().done() >= (long) TENANTS * SCHEDULES * SECONDS);
    }
    report(tenants, start);
  }

  private static void declare(Tenant tenant, Instant start) {
    for (int i = 0; i < SCHEDULES; i++) {
      tenant
          .schedules()
          .add(
              Schedule.every("s" + i, Duration.ofSeconds(1), NewTask.of("k", "s" + i))
                  .startingAt(start)
                  .missed(MissedRuns.ALL)
                  .overlapping(OverlappingRuns.START));
    }
  }

  private void report(List<Tenant> tenants, Instant start) throws Exception {
    String attempts =
        tenants.stream()
            .map(
                tenant ->
                    "select %1$d as tenant, payload, created_at, claimed_at from rota_%1$d.task_hist_%1$d"
                        .formatted(tenant.number()))
            .collect(Collectors.joining(" union all "));
    fixture.execute(
        "create table lateness as select created_at - planned as enqueued, claimed_at - planned as"
            + " claimed from (select *, timestamptz '"
            + start
            + "' + (row_number() over (partition by tenant, payload order by created_at) - 1)"
            + " * interval '1 s' as planned from ("
            + attempts
            + ") a) b where planned < timestamptz '"
            + start.plusSeconds(SECONDS)
            + "'");
    log.warn(
        "lateness of {} occurrences, enqueued and claimed, in seconds: median {}, p99 {}, most {}",
        fixture.text("select count(*) from lateness"),
        quantile(0.5),
        quantile(0.99),
        quantile(1));
    assertThat(fixture.number("select count(*) from lateness"))
        .isEqualTo((long) TENANTS * SCHEDULES * SECONDS);
    assertThat(fixture.number("select count(*) from lateness where enqueued < interval '0'"))
        .as("early ones")
        .isZero();
    assertThat(
            fixture.text(
                "select percentile_disc(0.99) within group (order by claimed) < interval '1 s'"
                    + " from lateness"))
        .as("p99 under a second")
        .isEqualTo("t");
  }

  private String quantile(double share) throws Exception {
    return fixture.text(
        "select extract(epoch from percentile_disc(%1$s) within group (order by enqueued))::numeric(9,3) || ' ' || extract(epoch from percentile_disc(%1$s) within group (order by claimed))::numeric(9,3) from lateness"
            .formatted(share));
  }
}
