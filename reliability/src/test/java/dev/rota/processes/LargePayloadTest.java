package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that a worker with 256 MB of heap and the default batch claims no more than it can hold.
 */
@RotaTest
@Tag("exhaustive")
class LargePayloadTest {

  private static final String HEAP = "256m";

  /** A quarter of the heap, at two bytes a character. */
  private static final long HELD_CHARACTERS = (256L << 20) / 4 / 2;

  private static final int MEGABYTE = 1 << 20;

  @Given private RotaFixture fixture;
  @Given private TestDatabase database;
  private Rota rota;
  private int filled;

  @BeforeEach
  void open() throws Exception {
    database.execute("create table effect (tenant text, task bigint, length int)");
    rota = fixture.closeLater(Rota.builder(database.jdbcUrl()).payloadLimit(MEGABYTE).build());
  }

  @Test
  void tasksOfAMegabyteAllRunInASmallHeap() throws Exception {
    Tenant acme = rota.tenants().register("acme");
    fill(acme, 1_500, MEGABYTE);
    assertAllRun(1_500, MEGABYTE);
  }

  @Test
  void largeOnesBehindSmallOnesAllRun() throws Exception {
    Tenant acme = rota.tenants().register("acme");
    fill(acme, 3_000, 20);
    fill(acme, 600, MEGABYTE);
    fill(acme, 3_000, 20);
    fill(acme, 400, MEGABYTE);
    assertAllRun(7_000, MEGABYTE);
  }

  @Test
  void aFleetOfTenantsWithLargePayloadsAllRun() throws Exception {
    for (int i = 0; i < 12; i++) {
      fill(rota.tenants().register("tenant " + i), 1_000, 64 << 10);
    }
    assertAllRun(12_000, 64 << 10);
  }

  /** Its payload alone needs more than there is, in the driver and as a text. */
  @Test
  void aTaskThatNoMemoryHoldsIsSetAsideAndTheOthersRun() throws Exception {
    Tenant acme = rota.tenants().register("acme");
    fill(acme, 50, 20);
    database.execute(
        "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
            + " values (999999, now(), 0, 'large', repeat('x', 150000000))");
    fill(acme, 50, 20);
    assertAllRun(100, 20);
    assertThat(database.texts("select rows from rota.set_aside")).containsExactly("1");
    assertThat(database.texts("select id from rota_1.task_hist_1 where state = 'dead'"))
        .containsExactly("999999");
  }

  /** Together half as much again as the heap of their producer. */
  @Test
  void manyLargeTasksAreEnqueuedAtOnce() throws Exception {
    rota.tenants().register("acme");
    int tasks = 400;
    try (JavaProcess producer =
        JavaProcess.startWithHeap(
            HEAP,
            LargeProducerProcess.class,
            database.jdbcUrl(),
            Integer.toString(tasks),
            Integer.toString(MEGABYTE))) {
      assertThat(producer.nextLine()).isEqualTo(Integer.toString(tasks));
    }
    assertThat(number("select count(*) from rota_1.task_init_1 where length(payload) = 1048576"))
        .isEqualTo(tasks);
  }

  /**
   * What is compressed well needs little of the table, and all of the heap. The server compresses
   * it once: each row gets a copy of that.
   */
  private void fill(Tenant tenant, int tasks, int characters) throws SQLException {
    database.execute(
        """
        select rota.open_tenant(%1$d);
        select rota_%1$d.make('wide');
        create temp table large as select repeat('x', %3$d) as payload;
        insert into rota_%1$d.task_init_%1$d_0 (id, created_at, attempt, kind, payload)
        select %2$d + n, now(), 0, 'large', payload from large, generate_series(1, %4$d) n"""
            .formatted(tenant.number(), filled, characters, tasks));
    filled += tasks;
  }

  private void assertAllRun(int tasks, int characters) throws Exception {
    try (JavaProcess worker =
        JavaProcess.startWithHeap(HEAP, LargePayloadProcess.class, database.jdbcUrl())) {
      Await.atLeast("tasks that have run", Await.LONG, () -> effectsOf(worker), tasks);
      long peak = Long.parseLong(worker.ask("peak"));
      assertThat(worker.ask("close")).isEqualTo("closed");
      if (number("select min(length) from effect") == characters) {
        assertThat(peak * characters).isLessThanOrEqualTo(HELD_CHARACTERS);
      }
    }
    assertThat(number("select count(distinct (tenant, task)) from effect")).isEqualTo(tasks);
    assertThat(number("select count(*) from effect")).isEqualTo(tasks);
    List<String> left =
        database.texts("select count(*) from rota.task_batch where closed_at is null");
    assertThat(left).containsExactly("0");
  }

  private long effectsOf(JavaProcess worker) throws SQLException {
    assertThat(worker.isAlive()).as("the worker lives").isTrue();
    return number("select count(*) from effect");
  }

  private long number(String sql) throws SQLException {
    return Long.parseLong(database.texts(sql).get(0));
  }
}
