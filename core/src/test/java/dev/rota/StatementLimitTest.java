package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.insight.ScheduleQuery;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.db.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the limit of the statements of one thread. */
@RotaTest
class StatementLimitTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");

  private static final String NOTE_TIMEOUTS =
      """
      create table public.noted (n serial, timeout text);
      create function public.note() returns trigger language plpgsql as $$
      begin
        insert into public.noted (timeout) values (current_setting('statement_timeout'));
        return null;
      end $$;
      create trigger note after insert on rota_1.task_init_1_0
        for each statement execute function public.note()""";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void itHoldsForTheWorkAlone() throws SQLException {
    fixture.execute(NOTE_TIMEOUTS);
    long unused = within(1_234, () -> within(5_678, () -> enqueue()));
    unused = within(5_678, () -> within(1_234, () -> enqueue()));
    unused = within(3_600_000, () -> enqueue());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> within(1_234, () -> acme.claim(0).tasks().size()));
    unused = enqueue();
    assertThat(fixture.texts("select timeout from public.noted order by n"))
        .containsExactly("1234ms", "1234ms", "1min", "1min");
  }

  private long enqueue() {
    return acme.enqueueAll(List.of(MAIL)).get(0);
  }

  @Test
  void aReadThatTakesLongerFails() throws SQLException {
    try (Connection other = fixture.begin()) {
      RotaFixture.execute(other, "lock table rota.schedule in access exclusive mode");
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> within(50, this::schedules))
          .withMessageContaining("statement timeout");
      other.rollback();
    }
    assertThat(within(60_000, this::schedules)).isZero();
  }

  @Test
  void itHoldsForAConnectionOfRotasPool() {
    Rota rota = fixture.another(builder -> builder.poolSize(2));
    Database database = DefaultRota.kernelOf(rota).database();
    Duration limit = Duration.ofMillis(50);
    boolean unused =
        database.transaction(
            "keep a connection",
            one ->
                database.transaction(
                    "keep the other",
                    other -> {
                      assertThatExceptionOfType(DatabaseException.class)
                          .isThrownBy(() -> rota.withStatementLimit(limit, rota.tenants()::list))
                          .withMessageMatching("(?s).* timed out after [0-9]{1,4}ms.*");
                      return true;
                    }));
  }

  private long schedules() {
    return fixture.rota().insight().schedules(ScheduleQuery.all()).size();
  }

  @Test
  void itIsChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> within(0, () -> 1L))
        .withMessage("longest is PT0S; allowed are PT0.001S to PT1H");
  }

  private interface Work {
    long run();
  }

  private long within(long millis, Work work) {
    return fixture.rota().withStatementLimit(Duration.ofMillis(millis), work::run);
  }
}
