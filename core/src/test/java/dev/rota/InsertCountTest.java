package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rota.graph.TaskGraph;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that an enqueue that stores another number of rows than it was given fails. It stores none,
 * except once on a connection that sends the COMMIT along.
 */
@RotaTest
class InsertCountTest {

  private static final NewTask TASK = NewTask.of("k", "{}");
  private static final NewTask LOST = NewTask.of("lost", "{}");

  @Given private RotaFixture fixture;
  private Tenant tenant;

  @BeforeEach
  void open() throws SQLException {
    Rota apart =
        fixture.closeLater(
            Rota.builder(fixture.database().jdbcUrl() + "&prepareThreshold=0").build());
    tenant = RotaFixture.tenant(apart, "acme");
    fixture.execute(
        "create function public.lose() returns trigger language plpgsql as"
            + " $$begin return case new.kind when 'lost' then null else new end; end$$");
    for (String table : List.of("task_init_1_0", "task_wait_1")) {
      fixture.execute(
          "create trigger lose before insert on rota_1."
              + table
              + " for each row execute function public.lose()");
    }
  }

  @Test
  void everyWayToEnqueueComparesWhatWasStoredWithWhatWasSent() throws SQLException {
    assertRefused("0 of 1", () -> tenant.enqueue(LOST));
    assertRefused("1 of 2", () -> tenant.enqueueAll(List.of(TASK, LOST)));
    assertRefused("0 of 1", () -> tenant.enqueue(LOST.after(Duration.ofHours(1))));
    assertRefused("0 of 1", () -> join(tenant));
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(LOST);
    assertRefused("0 of 1", () -> tenant.graphs().enqueue(graph.build()));
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      assertRefused("1 of 2", () -> tenant.enqueueAll(connection, List.of(TASK, LOST)));
      connection.rollback();
    }
    assertThat(fixture.number("select count(*) from rota_1.task_init_1")).isZero();
  }

  @Test
  void onceTheCountIsFoundAfterTheCommit() throws SQLException {
    Rota along = fixture.another(builder -> builder.poolSize(2).doorbell(false));
    Tenant acme = along.tenants().get("acme");
    int refusals = 0;
    int unknown = 0;
    while (refusals < 3) {
      acme.enqueueAll(List.of(TASK));
      boolean late = enqueueOneOfTwo(acme);
      refusals = late ? 0 : refusals + 1;
      unknown += late ? 1 : 0;
    }
    assertThat(unknown).isBetween(1, 2);
    assertThat(fixture.number("select count(*) from rota_1.task_init_1 where kind = 'half'"))
        .isEqualTo(unknown);
  }

  @Test
  void afterThatCommitNoTenantOfTheTransactionIsServedAgain() throws Exception {
    Faults faults = new Faults();
    Rota along = fixture.observed(faults, builder -> builder.poolSize(2).doorbell(false));
    Tenant acme = along.tenants().get("acme");
    Tenant other = RotaFixture.tenant(along, "other");
    for (int i = 0; i < 3; i++) {
      // Each writer's connection meets the present history of the server.
      holdBothWriters(faults, acme).release();
      assertThat(acme.enqueue(TASK)).isPositive();
    }
    ScriptedFault gate = holdBothWriters(faults, acme);
    CompletableFuture<Long> lost = acme.enqueueAsync(LOST);
    CompletableFuture<Long> stored = other.enqueueAsync(TASK);
    gate.release();
    for (CompletableFuture<Long> future : List.of(lost, stored)) {
      assertThatThrownBy(future::join)
          .hasRootCauseInstanceOf(SQLException.class)
          .cause()
          .matches(e -> ((DatabaseException) e).outcomeUnknown())
          .hasMessageContainingAll("2 tenants", "0 of 1");
    }
    assertThat(fixture.number("select count(*) from rota_2.task_init_2")).isOne();
  }

  /** Lets both writers wait with a task each, so that what comes next shares a transaction. */
  private static ScriptedFault holdBothWriters(Faults faults, Tenant tenant) throws Exception {
    ScriptedFault gate = faults.before("enqueue").hold();
    for (int writer = 1; writer <= 2; writer++) {
      var unused = tenant.enqueueAsync(TASK);
      gate.awaitReached(writer);
    }
    return gate;
  }

  private static boolean enqueueOneOfTwo(Tenant acme) {
    DatabaseException thrown =
        catchThrowableOfType(
            DatabaseException.class,
            () -> acme.enqueueAll(List.of(NewTask.of("half", "{}"), LOST)));
    assertThat(thrown).hasMessageContainingAll("acme", "1 of 2", "prepareThreshold=0");
    return thrown.outcomeUnknown();
  }

  private static void join(Tenant tenant) throws Throwable {
    try {
      tenant.enqueueAsync(LOST).join();
    } catch (CompletionException e) {
      throw e.getCause();
    }
  }

  private static void assertRefused(String count, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(DatabaseException.class)
        .hasMessageContainingAll("acme", count, "prepareThreshold=0");
  }
}
