package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentResult.AlreadyAssigned;
import dev.rota.assignment.AssignmentResult.Busy;
import dev.rota.assignment.AssignmentResult.Reason;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests assignments inside the caller's transaction: they commit and roll back with it, no call
 * waits for it, and no answer aborts it. A wait would end by the lock timeout, as an exception.
 */
@RotaTest
@PostgresVersions({15, 18})
@Timeout(120)
class AssignmentTransactionTest {

  private static final Busy NONE_FREE = new Busy(Reason.NONE_FREE);
  private static final Busy CONTENDED = new Busy(Reason.CONTENDED);

  @Given private static RotaFixture fixture;
  private static int count;

  private Tenant acme;
  private Connection callers;

  @BeforeEach
  void begin() throws SQLException {
    fixture.execute("create table if not exists public.invoice (id bigint)");
    acme = fixture.tenant("tenant " + ++count);
    callers = fixture.database().connect();
    callers.setAutoCommit(false);
  }

  @AfterEach
  void end() throws SQLException {
    callers.close();
  }

  @Test
  void aWorkerIsAssignedIfAndWhenTheCallerCommits() throws SQLException {
    WorkerPool crawlers = acme.assignments().workers("crawlers");
    crawlers.add(List.of(1L, 2L));
    Assignment seven = crawlers.assign(callers, 7).made().orElseThrow();
    assertThat(crawlers.assign(callers, 7)).isEqualTo(new AlreadyAssigned(seven));
    assertThat(crawlers.assign(7)).isEqualTo(CONTENDED);
    assertThat(crawlers.findByTask(7)).isEmpty();
    Assignment eight = crawlers.assign(8).made().orElseThrow();
    assertThat(eight.worker()).isNotEqualTo(seven.worker());
    assertThat(crawlers.assign(9)).isEqualTo(NONE_FREE);

    callers.rollback();
    assertThat(crawlers.assign(9).made()).map(Assignment::worker).contains(seven.worker());
    assertThat(crawlers.release(seven)).isFalse();

    assertThat(crawlers.release(callers, eight)).isTrue();
    assertThat(crawlers.release(eight)).isFalse();
    assertThat(crawlers.assign(8)).isEqualTo(new AlreadyAssigned(eight));
    assertThat(crawlers.assign(10)).isEqualTo(NONE_FREE);
    Assignment ten = crawlers.assign(callers, 10).made().orElseThrow();
    callers.commit();
    assertThat(crawlers.findByTask(10)).contains(ten);
    assertThat(ten.worker()).isEqualTo(eight.worker());
  }

  @Test
  void aReleaseThatIsRolledBackNeverHappened() throws SQLException {
    WorkerPool crawlers = acme.assignments().workers("crawlers");
    crawlers.add(List.of(1L));
    Assignment seven = crawlers.assign(7).made().orElseThrow();
    assertThat(crawlers.release(callers, seven)).isTrue();
    callers.rollback();
    assertThat(crawlers.findByTask(7)).contains(seven);
    assertThat(crawlers.countFree()).isZero();
    assertThat(crawlers.release(seven)).isTrue();
    assertThat(crawlers.countFree()).isOne();
  }

  @Test
  void aTaskIsAssignedIfAndWhenTheCallerCommits() throws SQLException {
    TaskPool pages = acme.assignments().tasks("pages");
    pages.add(List.of(1L, 2L));
    Assignment first = pages.assign(callers, 50).made().orElseThrow();
    assertThat(pages.assign(50)).isEqualTo(CONTENDED);
    Assignment second = pages.assign(51).made().orElseThrow();
    assertThat(pages.assign(52)).isEqualTo(NONE_FREE);
    callers.commit();
    assertThat(pages.assign(50)).isEqualTo(new AlreadyAssigned(first));

    assertThat(pages.finish(callers, first)).isTrue();
    assertThat(pages.finish(first)).isFalse();
    assertThat(pages.release(callers, second)).isTrue();
    callers.rollback();
    assertThat(pages.findByWorker(50)).contains(first);
    assertThat(pages.findByWorker(51)).contains(second);
    assertThat(pages.finish(first)).isTrue();
    assertThat(pages.countFree()).isZero();
  }

  @Test
  void aPairIsMadeIfAndWhenTheCallerCommits() throws SQLException {
    PairPool crews = acme.assignments().pairs("crews");
    Assignment pair = crews.assign(callers, 1, 7).made().orElseThrow();
    assertThat(crews.assign(1, 8)).isEqualTo(CONTENDED);
    assertThat(crews.assign(2, 7)).isEqualTo(CONTENDED);
    assertThat(crews.assign(2, 8).made()).isPresent();
    assertThat(crews.assign(callers, 2, 9)).isInstanceOf(AlreadyAssigned.class);
    callers.rollback();
    assertThat(crews.release(pair)).isFalse();
    assertThat(crews.assign(1, 7).made()).isPresent();
  }

  @Test
  void noAnswerAbortsTheTransaction() throws SQLException {
    WorkerPool crawlers = acme.assignments().workers("crawlers");
    PairPool crews = acme.assignments().pairs("crews");
    crawlers.add(List.of(1L));
    Assignment taken = crawlers.assign(7).made().orElseThrow();
    Assignment pair = crews.assign(1, 7).made().orElseThrow();

    assertThat(crawlers.assign(callers, 7)).isEqualTo(new AlreadyAssigned(taken));
    assertThat(crawlers.assign(callers, 8)).isEqualTo(NONE_FREE);
    assertThat(crews.assign(callers, 1, 8)).isEqualTo(new AlreadyAssigned(pair));
    callers.createStatement().execute("insert into public.invoice values (" + count + ")");
    callers.commit();
    assertThat(fixture.number("select count(*) from public.invoice where id = " + count)).isOne();
  }

  @Test
  void inAutoCommitModeItIsAssignedAtOnce() throws SQLException {
    callers.setAutoCommit(true);
    PairPool crews = acme.assignments().pairs("crews");
    Optional<Assignment> made = crews.assign(callers, 1, 7).made();
    assertThat(crews.findByTask(7)).isEqualTo(made).isPresent();
  }

  @Test
  void aTransactionThatIsAbortedAlreadySaysWhatWasAsked() throws SQLException {
    PairPool crews = acme.assignments().pairs("crews");
    assertThatThrownBy(() -> callers.createStatement().execute("select 1 / 0"))
        .isInstanceOf(SQLException.class);
    assertThatThrownBy(() -> crews.assign(callers, 1, 7))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("assign worker 1 to task 7 in pool 'crews' of tenant")
        .hasMessageContaining("aborted");
  }
}
