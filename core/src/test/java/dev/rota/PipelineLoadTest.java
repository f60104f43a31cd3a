package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.testing.Await;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Moves thousands of documents through five stages, with several workers. */
@RotaTest
@Tag("exhaustive")
class PipelineLoadTest {

  private static final int DOCUMENTS = 3_000;
  private static final Pipeline DOCS =
      Pipeline.named("doc").stage("a").stage("b").stage("c").stage("d").stage("e").build();

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void eachDocumentPassesEachStageOnce() throws Exception {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    List<Worker> workers =
        IntStream.range(0, 3).mapToObj(i -> worker(fixture.another(), runs)).toList();
    for (int i = 0; i < 10; i++) {
      acme.enqueueAll(Collections.nCopies(DOCUMENTS / 10, DOCS.task("0")));
    }
    Await.until(
        "all are through",
        Await.LONG,
        () ->
            workers.stream().mapToLong(worker -> worker.statistics().done()).sum()
                == 5L * DOCUMENTS);
    workers.forEach(Worker::close);
    assertThat(runs).hasSize(5 * DOCUMENTS);
    assertThat(runs.values()).containsOnly(1);
    assertThat(
            fixture.texts(
                "select kind || ' ' || count(*) || ' ' || count(distinct id) || ' ' || min(payload)"
                    + " || ' ' || max(payload) from rota_1.task_hist_1 where state = 'done'"
                    + " group by kind order by kind"))
        .containsExactly(
            "doc/a 3000 3000 0 0",
            "doc/b 3000 3000 1 1",
            "doc/c 3000 3000 2 2",
            "doc/d 3000 3000 3 3",
            "doc/e 3000 3000 4 4");
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 0L)
        .containsEntry(TaskState.RUNNING, 0L);
  }

  /** One that runs at most two of stage c at a time, and one of stage d. */
  private static Worker worker(Rota rota, Map<String, Integer> runs) {
    Worker.Builder builder =
        rota.worker().concurrency(6).concurrency("doc/c", 2).concurrency("doc/d", 1);
    for (String stage : DOCS.stages()) {
      AtomicInteger here = new AtomicInteger();
      builder.stage(
          DOCS,
          stage,
          task -> {
            assertThat(here.incrementAndGet()).isLessThanOrEqualTo(most(stage));
            runs.merge(stage + task.id(), 1, Integer::sum);
            here.decrementAndGet();
            return stage.equals("e") ? StageResult.finish() : StageResult.next(plusOne(task));
          });
    }
    return builder.start();
  }

  private static int most(String stage) {
    return switch (stage) {
      case "c" -> 2;
      case "d" -> 1;
      default -> 6;
    };
  }

  private static String plusOne(Task task) {
    return Integer.toString(Integer.parseInt(task.payload()) + 1);
  }
}
