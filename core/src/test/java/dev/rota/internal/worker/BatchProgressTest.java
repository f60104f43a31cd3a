package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.worker.BatchProgress.Piece;
import java.util.AbstractList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which reports of outcomes count. */
@RotaTest
class BatchProgressTest {

  private static final int TASKS = 3;

  @Given private Rota rota;

  @Test
  void ofTwoReportsAtTheSameTimeOneCountsForAllTasks() {
    BatchProgress progress = new BatchProgress(claim(), false, kind -> true, false);
    Piece piece = progress.takePieces().get(0);
    List<Outcome> returned = piece.tasks().stream().map(Outcome::done).toList();
    List<Outcome> givenUp =
        piece.tasks().stream().map(task -> Outcome.dead(task, "did not end in time")).toList();

    boolean last = piece.finish(interrupted(givenUp, () -> piece.finish(returned)));

    assertThat(last).isTrue();
    assertThat(progress.isFinished()).isTrue();
    assertThat(progress.closing().outcomes()).containsExactlyElementsOf(givenUp);
  }

  /** The outcomes, between the first and the second of which another thread reports. */
  private static List<Outcome> interrupted(List<Outcome> outcomes, Runnable report) {
    return new AbstractList<>() {

      @Override
      public Outcome get(int index) {
        if (index == 1) {
          report.run();
        }
        return outcomes.get(index);
      }

      @Override
      public int size() {
        return outcomes.size();
      }
    };
  }

  private ClaimedBatch claim() {
    Tenant tenant = rota.tenants().register("acme");
    tenant.enqueueAll(Collections.nCopies(TASKS, NewTask.of("k", "{}")));
    Kernel kernel = DefaultRota.kernelOf(rota);
    ClaimRequest request =
        new ClaimRequest(
            kernel.registry().get(tenant.number()), TASKS, ClaimRequest.ALL_SLOTS, true);
    return kernel.claimers().claimer(null, BatchEnd.OPEN).claim(List.of(request)).get(0).batch();
  }
}
