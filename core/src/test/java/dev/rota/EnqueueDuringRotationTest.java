package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests producers of a tenant whose ring is being switched, statement by statement as the daemon
 * does.
 */
@Timeout(30)
@RotaTest
class EnqueueDuringRotationTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  @Given private static RotaFixture fixture;
  private static int count;
  private Tenant tenant;

  @BeforeEach
  void register() {
    tenant = fixture.tenant("tenant " + ++count);
  }

  @Test
  void noProducerWaitsForARotation() throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Rotation rotation = new Rotation(tenant.number());
        Connection committed = transaction();
        Connection rolledBack = transaction()) {
      rotation.lockNextSlot();
      ids.add(tenant.enqueue(TASK));
      ids.add(tenant.enqueueAsync(TASK).join());
      ids.addAll(tenant.enqueueAll(List.of(TASK, TASK, TASK)));
      ids.add(tenant.enqueue(committed, TASK));
      tenant.enqueue(rolledBack, TASK);
      ids.addAll(sqlEnqueue());

      rotation.switchSlots();
      ids.add(tenant.enqueue(TASK));
      ids.add(tenant.enqueue(committed, TASK));
      tenant.enqueue(rolledBack, TASK);
      rolledBack.rollback();
      committed.commit();
      rotation.commit();
      ids.add(tenant.enqueue(TASK));
    }
    assertAllClaimedOnce(ids);
  }

  @Test
  void aTransactionThatSpansARotationIsWorthOneTaskOrNone() throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Connection committed = transaction();
        Connection rolledBack = transaction()) {
      ids.add(tenant.enqueue(committed, TASK));
      tenant.enqueue(rolledBack, TASK);
      for (int i = 0; i < 2; i++) {
        try (Rotation rotation = new Rotation(tenant.number())) {
          rotation.lockNextSlot();
          rotation.switchSlots();
          rotation.commit();
        }
      }
      committed.commit();
      rolledBack.rollback();
    }
    assertAllClaimedOnce(ids);
  }

  @Test
  void aRotationDoesNotEmptyASlotThatATransactionStillWrites() throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Connection slow = transaction()) {
      ids.add(tenant.enqueue(slow, TASK));
      fixture.execute("update rota.tenant set lane_slots[0] = 2 where number = " + tenant.number());
      try (Rotation rotation = new Rotation(tenant.number())) {
        assertThatThrownBy(rotation::lockNextSlot)
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"));
      }
      slow.commit();
    }
    assertAllClaimedOnce(ids);
  }

  @Test
  void sqlFollowsTheSwitchAtOnceAndJavaWithinTheRefreshInterval() throws Exception {
    Tenant quick =
        fixture
            .another(builder -> builder.registryRefresh(Duration.ofMillis(100)))
            .tenants()
            .get(tenant.name());
    try (Rotation rotation = new Rotation(tenant.number())) {
      rotation.lockNextSlot();
      rotation.switchSlots();
      rotation.commit();
    }
    sqlEnqueue();
    assertThat(inSlot(1)).isOne();
    Await.until(
        "Java writes into the new slot",
        () -> {
          quick.enqueue(TASK);
          return inSlot(1) > 1;
        });
  }

  private void assertAllClaimedOnce(List<Long> ids) {
    try (Batch batch = tenant.claim(10_000)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactlyInAnyOrderElementsOf(ids);
      assertThat(batch.settle().lost()).isZero();
    }
  }

  private List<Long> sqlEnqueue() throws SQLException {
    return fixture.texts("select rota.enqueue('" + tenant.name() + "', 'k', '{}')").stream()
        .map(Long::valueOf)
        .toList();
  }

  private long inSlot(int slot) throws SQLException {
    return fixture.number(
        "select count(*) from rota_%1$d.task_init_%1$d_%2$d".formatted(tenant.number(), slot));
  }

  private static Connection transaction() throws SQLException {
    Connection connection = fixture.database().connect();
    connection.setAutoCommit(false);
    return connection;
  }

  /** One rotation, on a connection of its own. */
  private static final class Rotation implements AutoCloseable {
    private final Connection connection = transaction();
    private final int tenant;
    private final int next;

    Rotation(int tenant) throws SQLException {
      this.tenant = tenant;
      run("set transaction isolation level read committed; set local lock_timeout = '100ms'");
      String current =
          RotaFixture.texts(
                  connection,
                  "select current_slot from rota.tenant where number = " + tenant + " for update")
              .get(0);
      this.next = (Integer.parseInt(current) + 1) % 3;
    }

    void lockNextSlot() throws SQLException {
      run("lock table " + slot() + " in access exclusive mode");
      assertThat(RotaFixture.texts(connection, "select id from " + slot())).isEmpty();
    }

    void switchSlots() throws SQLException {
      run("truncate " + slot());
      run("update rota.tenant set lane_slots[0] = " + next + " where number = " + tenant);
    }

    void commit() throws SQLException {
      connection.commit();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }

    private String slot() {
      return "rota_%1$d.task_init_%1$d_%2$d".formatted(tenant, next);
    }

    private void run(String sql) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      }
    }
  }
}
