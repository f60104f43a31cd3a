package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.graph.TaskGraph;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that an enqueue that stores another number of rows than it was given fails, and stores
 * none.
 */
@RotaTest
class InsertCountTest {

  private static final NewTask TASK = NewTask.of("k", "{}");
  private static final NewTask LOST = NewTask.of("lost", "{}");

  @Given private RotaFixture fixture;
  private Tenant tenant;

  @BeforeEach
  void open() throws SQLException {
    tenant = fixture.rota().tenants().register("acme");
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
