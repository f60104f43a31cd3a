package dev.rota.transfer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.testing.TestDatabase;
import dev.rota.transfer.TransferException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Tests that the sequence of task ids moves forward beside producers, and stops them briefly. */
@RotaTest
class TaskIdsTest {

  private static final long LAST = 1_000_000;
  private static final String DRAW = "select rota.enqueue('acme', 'k', '{}')";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aProducerThatHoldsTheSequenceStopsOthersBriefly() throws Exception {
    LockPatience patience = new LockPatience();
    Kernel kernel = DefaultRota.kernelOf(fixture.observed(patience, builder -> builder));
    FutureTask<Void> moved =
        new FutureTask<>(
            () -> {
              new TaskIds(kernel.database(), kernel.tables()).skipTo(LAST);
              return null;
            });
    try (Connection producer = fixture.begin()) {
      RotaFixture.execute(producer, DRAW);
      new Thread(moved, "import").start();
      fixture.awaitBlocked(1);
      // It waits behind the import, and goes on beside the first producer.
      fixture.execute(DRAW);
      producer.commit();
    }
    moved.get();
    assertThat(patience.seen).isNotEmpty().allMatch(millis -> millis <= 150);
    assertThat(fixture.number("select nextval('rota.task_id')")).isGreaterThan(LAST);
    assertThat(acme.claim(10).tasks()).hasSize(2);
  }

  @Test
  void theHolderIsNamed() throws Exception {
    Kernel kernel = DefaultRota.kernelOf(fixture.rota());
    TaskIds impatient = new TaskIds(kernel.database(), kernel.tables(), Duration.ZERO);
    try (Connection producer = fixture.begin()) {
      RotaFixture.execute(producer, "set application_name = 'billing'; " + DRAW);
      String process = RotaFixture.texts(producer, "select pg_backend_pid()").get(0);
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> impatient.skipTo(LAST))
          .withMessageContaining("session " + process + " (application 'billing'")
          .withMessageContaining("end that transaction, and repeat the call");
    }
  }

  /** How long the import lets a statement wait for the lock, in milliseconds. */
  private static final class LockPatience implements StatementObserver {
    private final List<Long> seen = new CopyOnWriteArrayList<>();
    private final ThreadLocal<Boolean> holds = ThreadLocal.withInitial(() -> false);

    @Override
    public void before(String call) {
      holds.set(call.equals("hold sequence"));
    }

    @Override
    public void sending(Connection connection) throws SQLException {
      if (holds.get()) {
        String setting = "select setting from pg_settings where name = 'lock_timeout'";
        seen.add(Long.valueOf(TestDatabase.texts(connection, setting).get(0)));
      }
    }
  }
}
