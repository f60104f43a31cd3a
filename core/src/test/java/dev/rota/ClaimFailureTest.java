package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rota.Batch.SettleResult;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.Faults.Moment;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a claim that fails at any step loses no task and duplicates none. */
@RotaTest
class ClaimFailureTest {

  private static final int TASKS = 10;

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  private Tenant acme;
  private List<Long> ids;

  @BeforeEach
  void open() {
    fixture.rota().tenants().register("acme");
    Rota rota = fixture.observed(faults, builder -> builder.lease(Duration.ofSeconds(1)));
    acme = rota.tenants().get("acme");
    ids = acme.enqueueAll(Collections.nCopies(TASKS, NewTask.of("k", "{}")));
    assertThat(acme.claim(1).tasks()).hasSize(1);
    ids = ids.subList(1, TASKS);
  }

  @ParameterizedTest
  @CsvSource({
    "BEFORE, gate", "AFTER, gate",
    "BEFORE, claim", "AFTER, claim",
    "BEFORE, open batches", "BEFORE, commit"
  })
  @Tag("exhaustive")
  void nothingIsClaimedWhenTheConnectionBreaksBeforeTheCommit(Moment moment, String call)
      throws SQLException {
    ScriptedFault broken = faults.at(moment, call).byThisThread().fail();

    DatabaseException failure =
        catchThrowableOfType(DatabaseException.class, () -> acme.claim(100));

    assertThat(broken.isReached()).isTrue();
    assertThat(failure.unavailable()).isTrue();
    // The rows of the ledger travel with the COMMIT.
    assertThat(failure.outcomeUnknown())
        .isEqualTo(call.equals("open batches") || call.equals("commit"));
    assertThat(failure).hasMessageContaining("claim from tenant 'acme' (1)");
    assertThat(fixture.number("select count(*) from rota.task_batch where closed_at is null"))
        .isEqualTo(1);
    try (Batch batch = acme.claim(100)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactlyElementsOf(ids);
      assertThat(batch.tasks()).extracting(Task::attempt).containsOnly(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"AFTER, claim", "BEFORE, open batches", "BEFORE, commit"})
  @Tag("exhaustive")
  void nothingIsClaimedWhenTheBackendIsKilled(Moment moment, String call) {
    ScriptedFault killed = faults.at(moment, call).byThisThread().run(this::killBackend);

    DatabaseException failure =
        catchThrowableOfType(DatabaseException.class, () -> acme.claim(100));

    assertThat(killed.isReached()).isTrue();
    assertThat(failure.unavailable()).isTrue();
    try (Batch batch = acme.claim(100)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactlyElementsOf(ids);
    }
  }

  @Test
  void aClaimWhoseAnswerWasLostIsFoundAndReturned() throws Exception {
    faults.after("commit").byThisThread().loseAnswer();
    ScriptedFault heartbeat = faults.before("find batches").byOtherThreads().hold().optional();

    assertThatThrownBy(() -> acme.claim(100))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.outcomeUnknown()).isTrue());

    assertThat(fixture.number("select count(*) from rota_1.task_init_1_0")).isZero();
    heartbeat.release();
    Await.until(
        "the tasks are back in the ring",
        () -> fixture.number("select count(*) from rota_1.task_init_1_0"),
        ids.size());
    assertThat(fixture.texts("select ended from rota.task_batch order by id"))
        .containsExactly("0", "2");
    assertThat(fixture.texts("select distinct error from rota_1.task_hist_1_1 where state = 5"))
        .containsExactly("the process that claimed it did not know of it");
    try (Batch batch = acme.claim(100)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactlyInAnyOrderElementsOf(ids);
      assertThat(batch.tasks()).extracting(Task::attempt).containsOnly(2);
    }
  }

  @Test
  void aBatchThatCouldNotBeHandedBackIsReturned() throws Exception {
    Batch batch = acme.claim(100);
    ScriptedFault broken = faults.before("commit").byThisThread().fail();

    assertThatThrownBy(batch::close).isInstanceOf(DatabaseException.class);

    assertThat(broken.isReached()).isTrue();
    Await.until(
        "the tasks are back in the ring",
        () -> fixture.number("select count(*) from rota_1.task_init_1_0"),
        ids.size());
    try (Batch again = acme.claim(100)) {
      assertThat(again.tasks()).extracting(Task::id).containsExactlyInAnyOrderElementsOf(ids);
    }
  }

  @Test
  void aBatchThatIsHeldIsNotTakenForALostOne() throws Exception {
    Batch batch = acme.claim(100);
    long beats = faults.count("find batches");
    Await.atLeast("looked twice", () -> faults.count("find batches"), beats + 2);
    assertThat(batch.settle()).isEqualTo(new SettleResult(ids.size(), 0));
  }

  /** The one that holds the tenant's gate; a heartbeat may have a transaction open as well. */
  private void killBackend() throws SQLException {
    assertThat(
            fixture.texts(
                "select pg_terminate_backend(l.pid, 5000) from pg_locks l"
                    + " join pg_database d on d.oid = l.database"
                    + " where d.datname = current_database() and l.locktype = 'advisory'"
                    + " and l.objsubid = 2 and l.objid = "
                    + acme.number()))
        .containsExactly("t");
  }
}
