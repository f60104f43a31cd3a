package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.limits.Controls;
import dev.rota.limits.LiveShares;
import dev.rota.limits.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Measures what one call of {@code top} and one of {@code why} cost beside many tenants, without
 * the time over which they measure shares. Prints the medians of interleaved rounds.
 */
@Tag("long")
@RotaTest
@PostgresVersions(18)
class InsightCostTest {

  private static final int TENANTS = 1_000;
  private static final int BATCHES = 100_000;
  private static final int ROUNDS = 5;
  private static final Duration WINDOW = Duration.ofMillis(100);
  private static final double MILLIS = 1e6;

  private final AtomicLong calls = new AtomicLong();
  @Given private RotaFixture fixture;

  private record Cost(double millis, long calls) {}

  @Test
  void aCallIsCheapBesideAThousandTenants() throws Exception {
    Rota rota = fixture.rota();
    List<String> names = IntStream.range(0, TENANTS).mapToObj(i -> "t" + i).toList();
    for (String name : names) {
      fixture.tenant(name).enqueueAll(List.of(NewTask.of("mail", "{}"), NewTask.of("index", "{}")));
    }
    rota.controls().changeLimits(Scope.plan("default"), limits -> limits.concurrency(5));
    fixture.execute("update rota.tenant set plan = 'pro' where number % 2 = 0");
    fillLedger();
    Controls counted = fixture.observed(counter(), builder -> builder).controls();
    Map<String, Runnable> rounds = new LinkedHashMap<>();
    rounds.put("top", () -> assertThat(top(counted).tenants()).hasSize(20));
    rounds.put("why of a tenant that waits for others", () -> explain(counted, "t7"));
    rounds.put("why of a paused tenant", () -> explain(counted, "t8"));
    rota.controls().pause(Scope.tenant("t8"), "");
    Map<String, List<Cost>> costs = new LinkedHashMap<>();
    for (int round = -1; round < ROUNDS; round++) {
      for (Map.Entry<String, Runnable> call : rounds.entrySet()) {
        Cost cost = measure(call.getValue());
        if (round >= 0) {
          costs.computeIfAbsent(call.getKey(), unused -> new ArrayList<>()).add(cost);
        }
      }
    }
    costs.forEach(InsightCostTest::print);
    assertThat(costs.get("top")).allMatch(cost -> cost.calls <= 200);
  }

  private static LiveShares top(Controls controls) {
    return controls.top(WINDOW, 20);
  }

  private static void explain(Controls controls, String tenant) {
    assertThat(controls.why(tenant).tasks().pending()).isEqualTo(2);
  }

  private StatementObserver counter() {
    return new StatementObserver() {
      @Override
      public void before(String call) {
        calls.incrementAndGet();
      }
    };
  }

  /** An hour of batches that ended, some in each of the last seconds, and open ones. */
  private void fillLedger() throws Exception {
    fixture.execute(
        ("insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules)"
                + " select n, 'host', '1 h', now(), now(), 2 from generate_series(1, 8) n;"
                + "insert into rota.task_batch_1 (id, worker, claimed_at, closed_at, tenant, segment,"
                + " tasks, ended, run_micros)"
                + " select n, 1 + n %% 8, now() - (%1$d - n) * interval '30 ms' - interval '0.5 s',"
                + " now() - (%1$d - n) * interval '30 ms', 1 + n %% %2$d, 1, 10, 1, 500000"
                + " from generate_series(1, %1$d) n;"
                + "insert into rota.task_batch_1 (id, worker, claimed_at, tenant, segment, tasks)"
                + " select %1$d + n, 1 + n %% 8, now(), n, 1, 10 from generate_series(1, %2$d) n;"
                + "insert into rota.statistic select n, date_bin('1 hour', now(), 'epoch'), 100, 0, 0,"
                + " 0, 5000000, 1, 1, 'mail' from generate_series(1, %2$d) n")
            .formatted(BATCHES, TENANTS));
  }

  private Cost measure(Runnable call) {
    long before = calls.get();
    long begun = System.nanoTime();
    call.run();
    return new Cost((System.nanoTime() - begun) / MILLIS, calls.get() - before);
  }

  private static void print(String call, List<Cost> costs) {
    double[] millis = costs.stream().mapToDouble(Cost::millis).sorted().toArray();
    System.out.printf(
        "%s: median %.0f ms of %s, %d calls to the database%n",
        call, millis[millis.length / 2], Arrays.toString(millis), costs.get(0).calls);
  }
}
