package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests keys in transactions of callers whose snapshots are older than the end of a task. */
@RotaTest
class KeySnapshotTest {

  private static final NewTask ORDER = NewTask.of("order", "{}").withKey("order-7");

  /** The row of the key: its place, and its task. */
  private static final String PLACE = "select ctid from rota_1.task_key_1";

  private static final String HOLDER = "select task_id from rota_1.task_key_1";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  private Connection connection;

  @BeforeEach
  void begin() throws SQLException {
    connection = fixture.begin();
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
  }

  @Test
  void aKeyThatIsFreeByNowIsTakenByTheNewTask() throws SQLException {
    long old = beginBeforeItsTaskEnds();
    long id = acme.enqueue(connection, ORDER);
    assertHasItsKeyFromTheCommit(id, old);
  }

  @Test
  void theSqlFunctionTakesItAsWell() throws SQLException {
    long old = beginBeforeItsTaskEnds();
    String call = "select rota.enqueue('acme', 'order', '{}', null, 0, 'order-7')";
    long id = Long.parseLong(RotaFixture.texts(connection, call).get(0));
    assertHasItsKeyFromTheCommit(id, old);
  }

  /** The transaction sees both rows, and cannot tell which one is its own. */
  @Test
  void aSecondEnqueueOfThatTransactionIsRefused() throws SQLException {
    long old = beginBeforeItsTaskEnds();
    long id = acme.enqueue(connection, ORDER);
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> acme.enqueue(connection, ORDER))
        .withMessageContaining("enqueue for tenant 'acme' (1): key 'order-7' was freed")
        .withMessageContaining("repeat the transaction")
        .satisfies(KeySnapshotTest::isNotSerializable);
    assertHasItsKeyFromTheCommit(id, old);
  }

  @Test
  void aKeyThatAnotherTaskHasByNowIsRefused() throws SQLException {
    beginBeforeItsTaskEnds();
    long newer = acme.enqueue(ORDER);
    assertRefused(ORDER);
    assertHasItsKey(newer);
  }

  @Test
  void aVersionWhoseTaskEndedIsRefused() throws SQLException {
    long id = acme.enqueue(document(3));
    takeSnapshot();
    settle(id);
    assertRefused(document(4));
    assertThat(acme.enqueue(document(4))).isEqualTo(id);
    settle(id);
  }

  @Test
  void aVersionThatIsForgottenByNowBeginsAnew() throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    long old = acme.enqueue(document(3));
    settle(old);
    takeSnapshot();
    fixture.execute("delete from rota_1.task_key_1");
    long id = acme.enqueue(connection, document(3));
    connection.commit();
    assertThat(id).isNotEqualTo(old);
    assertThat(fixture.number(HOLDER)).isEqualTo(id);
    assertThat(acme.enqueue(document(4))).isEqualTo(id);
    settle(id);
  }

  private void assertHasItsKeyFromTheCommit(long id, long old) throws SQLException {
    connection.commit();
    assertHasItsKey(id);
    assertThat(acme.enqueue(ORDER)).isNotIn(old, id);
  }

  /**
   * Begins a transaction that sees the key taken, and ends its task then. The next row of the key
   * gets a place before the old one, so that a look finds the old one last.
   */
  private long beginBeforeItsTaskEnds() throws SQLException {
    settle(acme.enqueue(ORDER.withKey("in the first place")));
    long id = acme.enqueue(ORDER);
    fixture.execute("vacuum (index_cleanup on) rota_1.task_key_1");
    assertThat(fixture.texts(PLACE)).containsExactly("(0,2)");
    takeSnapshot();
    settle(id);
    return id;
  }

  private void takeSnapshot() throws SQLException {
    assertThat(RotaFixture.texts(connection, "select 1")).containsExactly("1");
  }

  private void assertRefused(NewTask task) throws SQLException {
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> acme.enqueue(connection, task))
        .withMessageContaining("enqueue for tenant 'acme' (1): the database refused")
        .withMessageEndingWith("; repeat the transaction")
        .satisfies(KeySnapshotTest::isNotSerializable);
    connection.rollback();
  }

  private static void isNotSerializable(DatabaseException refusal) {
    assertThat(refusal.getCause())
        .isInstanceOfSatisfying(
            SQLException.class, cause -> assertThat(cause.getSQLState()).isEqualTo("40001"));
  }

  /** The one task has the one key, and frees it at its end. */
  private void assertHasItsKey(long id) throws SQLException {
    assertThat(fixture.texts(PLACE)).as("before the old row").containsExactly("(0,1)");
    assertThat(fixture.number(HOLDER)).isEqualTo(id);
    settle(id);
    assertThat(fixture.texts(HOLDER)).isEmpty();
  }

  private void settle(long id) {
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactly(id);
      batch.settle();
    }
  }

  private static NewTask document(long version) {
    return NewTask.of("index", "version " + version).withKey(TaskKey.versioned("doc", version));
  }
}
