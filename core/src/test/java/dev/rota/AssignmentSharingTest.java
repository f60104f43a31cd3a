package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.AssignmentResult.AlreadyAssigned;
import dev.rota.assignment.AssignmentResult.Assigned;
import dev.rota.assignment.AssignmentResult.Busy;
import dev.rota.assignment.AssignmentResult.Reason;
import dev.rota.assignment.PairPool;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that callers whose requests go to the server in one statement get an answer each. */
@Timeout(120)
@RotaTest
@PostgresVersions({15, 18})
class AssignmentSharingTest {

  private static final String PAIRS = "assign pairs";

  /** How many transactions of assignments there are at once. */
  private static final int LANES = 2;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Thread> waiting = Collections.synchronizedList(new ArrayList<>());
  private final Faults faults = new Faults();
  private final Queue<String> calls = new ConcurrentLinkedQueue<>();
  private ScriptedFault jam;
  @Given private RotaFixture fixture;
  private PairPool crews;
  private PairPool other;

  @BeforeEach
  void open() {
    fixture.tenant("acme");
    Tenant acme = fixture.observed(faults).tenants().get("acme");
    crews = acme.assignments().pairs("crews");
    other = acme.assignments().pairs("other");
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
  }

  @Test
  @Tag("exhaustive")
  void whoAsksForTheSameInOneStatementGetsItOnce() throws Exception {
    Assignment held = crews.assign(50, 51).made().orElseThrow();
    try (Connection callers = fixture.database().connect()) {
      callers.setAutoCommit(false);
      assertThat(crews.assign(callers, 60, 61).made()).isPresent();
      jamLanes();
      Future<AssignmentResult> first = asking(() -> crews.assign(1, 2));
      Future<AssignmentResult> same = asking(() -> crews.assign(1, 2));
      Future<AssignmentResult> sameWorker = asking(() -> crews.assign(1, 3));
      Future<AssignmentResult> free = asking(() -> crews.assign(4, 5));
      Future<AssignmentResult> taken = asking(() -> crews.assign(50, 52));
      Future<AssignmentResult> contended = asking(() -> crews.assign(62, 61));
      Future<AssignmentResult> elsewhere = asking(() -> other.assign(1, 2));
      clearLanes();

      Assignment made = first.get().made().orElseThrow();
      assertThat(made).extracting(Assignment::worker, Assignment::task).containsExactly(1L, 2L);
      assertThat(same.get()).isEqualTo(new AlreadyAssigned(made));
      assertThat(sameWorker.get()).isEqualTo(new AlreadyAssigned(made));
      assertThat(free.get().made()).map(Assignment::task).contains(5L);
      assertThat(taken.get()).isEqualTo(new AlreadyAssigned(held));
      assertThat(contended.get()).isEqualTo(new Busy(Reason.CONTENDED));
      assertThat(elsewhere.get()).isInstanceOf(Assigned.class);
      // The two that found the lanes free had one each; of the rest those of each pool shared one,
      // and those that had been overtaken asked again.
      assertThat(calls.stream().filter(PAIRS::equals).count()).isLessThanOrEqualTo(6);
    }
  }

  @Test
  void whoReleasesTheSameInOneStatementDoesItOnce() throws Exception {
    Assignment one = crews.assign(1, 2).made().orElseThrow();
    Assignment two = crews.assign(3, 4).made().orElseThrow();
    Assignment stranger = other.assign(1, 2).made().orElseThrow();
    jamLanes();
    List<Future<Boolean>> releases = new ArrayList<>();
    for (Assignment ended : List.of(one, one, new Assignment(3, 4, one.token()), two, stranger)) {
      releases.add(asking(() -> crews.release(ended)));
    }
    clearLanes();
    List<Boolean> answers = new ArrayList<>();
    for (Future<Boolean> release : releases) {
      answers.add(release.get());
    }
    assertThat(answers).containsExactly(true, false, false, true, false);
    assertThat(crews.findByTask(2)).isEmpty();
    assertThat(other.findByTask(2)).contains(stranger);
    assertThat(calls.stream().filter("release"::equals).count()).isOne();
  }

  /** Occupies both lanes by two requests, so that later callers wait. */
  private void jamLanes() throws Exception {
    faults.beforeAnyCall().tell(calls::add);
    jam = faults.before(PAIRS).hold();
    for (long number = 1; number <= LANES; number++) {
      long stranger = 1_000 + number;
      Future<AssignmentResult> unused = threads.submit(() -> crews.assign(stranger, stranger));
    }
    jam.awaitReached(LANES);
  }

  private void clearLanes() {
    jam.release();
  }

  /** One after the other, so that they stand in line in this order. */
  private <T> Future<T> asking(Supplier<T> question) throws Exception {
    int before = waiting.size();
    Future<T> asked =
        threads.submit(
            () -> {
              waiting.add(Thread.currentThread());
              return question.get();
            });
    Await.until(
        "it stands in line",
        () -> waiting.size() > before && waiting.get(before).getState() == Thread.State.WAITING);
    return asked;
  }
}
