package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaTest;
import dev.rota.TaskKey;
import dev.rota.Tenant;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.graph.TaskGraph;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the leader keeps records of a tenant under legal hold that it removes for others. */
@RotaTest
class LegalHoldTest {

  private static final String TURN_OVER = "turn the ledger over";
  private static final String AGE =
      "update rota.ledger_segment set %1$s = %1$s - interval '8 days'";

  @Given private DaemonFixture fixture;
  private ManualDaemon daemon;
  private Tenant held;
  private Tenant other;

  @BeforeEach
  void open() {
    daemon = ManualDaemon.leading(fixture.rota());
    held = fixture.rota().tenants().register("held");
    other = fixture.rota().tenants().register("other");
    held.history().changeRetention(policy -> policy.legalHold(true));
  }

  @Test
  void keysGraphsStatisticsAndTheRegistryAreKept() throws Exception {
    leaveOldThings(held);
    leaveOldThings(other);
    forget();
    assertThat(left(other)).isEqualTo("0 0 0 0");
    assertThat(left(held)).isEqualTo("1 1 1 1");
    held.history().changeRetention(policy -> policy.legalHold(false));
    forget();
    assertThat(left(held)).isEqualTo("0 0 0 0");
  }

  private void leaveOldThings(Tenant tenant) throws Exception {
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(NewTask.of("node", "{}"));
    tenant.graphs().enqueue(graph.build());
    tenant.enqueue(NewTask.of("k", "{}").withKey(TaskKey.keptFor("kept", Duration.ofDays(1))));
    work(tenant, 2);
    fixture.execute(
        """
        update rota_%1$d.task_graph_%1$d set finished_at = now() - interval '2 days';
        update rota_%1$d.task_key_%1$d set free_at = now() - interval '1 second';
        insert into rota.statistic
        values (%1$d, date_trunc('hour', now()) - interval '40 days', 1, 0, 0, 0, 0, 0, 0, 'k');
        insert into rota.segment (tenant, seq, sealed_at, dropped_at)
        values (%1$d, 99, now() - interval '90 days', now() - interval '40 days')"""
            .formatted(tenant.number()));
  }

  private void forget() throws Exception {
    daemon.perform("look after graphs", "forget old keys", "clean the registry");
  }

  /** Graphs, keys, hours of statistics, and dropped segments. */
  private String left(Tenant tenant) throws Exception {
    return fixture.text(
        """
        select concat_ws(' ', (select count(*) from rota_%1$d.task_graph_%1$d),
                         (select count(*) from rota_%1$d.task_key_%1$d),
                         (select count(*) from rota.statistic where tenant = %1$d),
                         (select count(*) from rota.segment
                           where tenant = %1$d and dropped_at is not null))"""
            .formatted(tenant.number()));
  }

  @Test
  @Tag("exhaustive")
  void theTimesOfItsBatchesOutliveTheirSegmentsOfTheLedger() throws Exception {
    for (Tenant each : List.of(held, other)) {
      each.enqueueAll(DaemonFixture.tasks("k", 3));
      work(each, 1);
      work(each, 2);
    }
    List<String> batches = batches(held);
    assertThat(batches).hasSize(2);
    turnTheLedgerOver();
    turnTheLedgerOver();
    assertThat(fixture.texts("select seq from rota.ledger_segment")).containsExactly("3");
    assertThat(batches(held)).isEqualTo(batches);
    assertThat(batches(other)).isEmpty();
    assertThat(fixture.text("select count(claimed_at) from rota_%1$d.task_hist_%1$d".formatted(1)))
        .isEqualTo("3");
    held.history().changeRetention(policy -> policy.legalHold(false));
    turnTheLedgerOver();
    assertThat(batches(held)).isEmpty();
  }

  /** The segment that was the newest one is dropped by this. */
  private void turnTheLedgerOver() throws Exception {
    fixture.execute(AGE.formatted("opened_at"));
    daemon.perform(TURN_OVER);
    fixture.execute(AGE.formatted("sealed_at"));
    daemon.perform("count the usage", TURN_OVER);
  }

  /** Without what is in the usage, and would count again. */
  private List<String> batches(Tenant tenant) throws Exception {
    return fixture.texts(
        "select to_jsonb(b) - '{seq,attempts,run_micros,bytes}'::text[] from rota.task_batch b where tenant = %d order by id"
            .formatted(tenant.number()));
  }

  private static void work(Tenant tenant, int tasks) {
    try (Batch batch = tenant.claim(tasks)) {
      assertThat(batch.tasks()).hasSize(tasks);
      batch.settle();
    }
  }
}
