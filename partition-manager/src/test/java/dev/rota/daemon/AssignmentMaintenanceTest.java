package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.assignment.Assignment;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class AssignmentMaintenanceTest {

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;
  private Rota doomed;

  @BeforeEach
  void open() {
    // No heartbeat undoes what a test does to its row.
    doomed = fixture.another(builder -> builder.lease(Duration.ofHours(1)));
  }

  @Test
  void assignmentsOfADeadProcessEndAndThoseOfTheLivingDoNot() throws Exception {
    WorkerPool crawlers = acme.assignments().workers("crawlers");
    TaskPool pages = acme.assignments().tasks("pages");
    PairPool crews = acme.assignments().pairs("crews");
    crawlers.add(List.of(1L, 2L, 3L));
    pages.add(List.of(10L, 11L));
    Tenant theirs = doomed.tenants().get("acme");
    Assignment living = crawlers.assign(100).made().orElseThrow();
    Assignment worker = theirs.assignments().workers("crawlers").assign(101).made().orElseThrow();
    Assignment task = theirs.assignments().tasks("pages").assign(50).made().orElseThrow();
    Assignment pair = theirs.assignments().pairs("crews").assign(7, 8).made().orElseThrow();
    Assignment ours = crews.assign(9, 9).made().orElseThrow();
    kill(pair);
    fixture.daemon(settings -> settings);

    Await.until("the pair ends", () -> crews.findByTask(8).isEmpty());
    assertThat(crawlers.findByTask(101)).isEmpty();
    assertThat(crawlers.countFree()).isEqualTo(2);
    assertThat(pages.countFree()).isEqualTo(2);
    assertThat(crawlers.findByTask(100)).contains(living);
    assertThat(crews.findByWorker(9)).contains(ours);

    Assignment successor = crawlers.assign(101).made().orElseThrow();
    assertThat(theirs.assignments().workers("crawlers").release(worker)).isFalse();
    assertThat(theirs.assignments().tasks("pages").finish(task)).isFalse();
    assertThat(theirs.assignments().pairs("crews").release(pair)).isFalse();
    assertThat(crawlers.findByTask(101)).contains(successor);
    assertThat(pages.countFree()).isEqualTo(2);
  }

  @Test
  @Tag("exhaustive")
  void moreThanFitIntoOneTransactionEnd() throws Exception {
    TaskPool pages = acme.assignments().tasks("pages");
    pages.add(LongStream.range(0, 12_000).boxed().toList());
    long holder = holderOf(pages.assign(1).made().orElseThrow());
    fixture.execute(
        "with f as (delete from rota_1.task_free_1 returning *)"
            + " insert into rota_1.task_assignment_1"
            + " select id + 10, id, id, "
            + (holder + 1_000)
            + ", id, now(), pool, spot from f");
    fixture.daemon(settings -> settings);
    Await.until("all but one are free", () -> pages.countFree(), 11_999);
    assertThat(pages.findByWorker(1)).isPresent();
  }

  @Test
  @Tag("exhaustive")
  void assignmentOfAProcessThatIsNotRegisteredEnds() throws Exception {
    PairPool crews = acme.assignments().pairs("crews");
    Assignment kept = crews.assign(1, 1).made().orElseThrow();
    Assignment orphan =
        doomed.tenants().get("acme").assignments().pairs("crews").assign(2, 2).made().orElseThrow();
    fixture.daemon(settings -> settings);
    long holder = holderOf(orphan);
    fixture.execute("delete from rota.worker where id = " + holder);
    Await.until("it ends", () -> crews.findByTask(2).isEmpty());
    assertThat(crews.findByTask(1)).contains(kept);
  }

  @Test
  void processThatSpeaksUpKeepsItsAssignments() throws Exception {
    PairPool theirs = doomed.tenants().get("acme").assignments().pairs("crews");
    Assignment pair = theirs.assign(1, 1).made().orElseThrow();
    kill(pair);
    Connection heartbeat = fixture.begin();
    DaemonFixture.execute(
        heartbeat,
        "update rota.worker set heartbeat_at = now(), lease = interval '1 hour' where id = "
            + holderOf(pair));
    Faults calls = new Faults();
    fixture.daemon(fixture.observed(calls), settings -> settings);
    calls.awaitMore("free assignments", 1);
    heartbeat.commit();
    calls.awaitMore("find pools", 3);
    assertThat(theirs.findByTask(1)).contains(pair);
    assertThat(theirs.release(pair)).isTrue();
  }

  @Test
  @Tag("exhaustive")
  void tenantWhoseTablesAreGoneStopsNoOther() throws Exception {
    Tenant other = fixture.rota().tenants().register("other");
    doomed.tenants().get("acme").assignments().pairs("crews").assign(1, 1);
    PairPool theirs = doomed.tenants().get("other").assignments().pairs("crews");
    Assignment pair = theirs.assign(2, 2).made().orElseThrow();
    kill(other, pair);
    fixture.execute("drop table rota_1.task_assignment_1");
    fixture.daemon(settings -> settings);
    Await.until(
        "the other's ends", () -> other.assignments().pairs("crews").findByTask(2).isEmpty());
  }

  /** Silent for an hour; the server itself may be younger than the usual lease. */
  private void kill(Assignment assignment) throws Exception {
    kill(acme, assignment);
  }

  private void kill(Tenant tenant, Assignment assignment) throws Exception {
    fixture.execute(
        "update rota.worker set heartbeat_at = now() - interval '1 hour',"
            + " lease = interval '100 milliseconds' where id = "
            + holderOf(tenant, assignment));
  }

  private long holderOf(Assignment assignment) throws Exception {
    return holderOf(acme, assignment);
  }

  private long holderOf(Tenant tenant, Assignment assignment) throws Exception {
    return fixture.number(
        "select holder from rota_%1$d.task_assignment_%1$d where token = %2$d"
            .formatted(tenant.number(), assignment.token()));
  }
}
