package dev.rota.docs;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.pipeline.StageVisit;
import java.time.Duration;

/** The examples of docs/pipelines.md. */
final class PipelinesExample {

  static final Pipeline docs = docs();

  private PipelinesExample() {}

  private static Pipeline docs() {
    // begin pipeline
    Pipeline docs =
        Pipeline.named("doc").stage("fetch").stage("parse").stage("ocr").stage("index").build();
    // end pipeline
    return docs;
  }

  static Worker work(Rota rota, Tenant acme, Library library) {
    // begin worker
    Worker worker =
        rota.worker()
            .concurrency(32)
            .concurrency(docs.kind("ocr"), 2) // two at a time, however many wait
            .timeLimit(docs.kind("fetch"), Duration.ofMinutes(1))
            .stage(docs, "fetch", task -> StageResult.next(library.fetch(task.payload())))
            .stage(docs, "parse", task -> parse(library, task))
            .stage(docs, "ocr", task -> StageResult.moveTo("parse", library.read(task.payload())))
            .stage(docs, "index", task -> index(library, task))
            .start();
    long id = acme.enqueue(docs.task("https://example.org/a"));
    // end worker
    library.expect(id);
    return worker;
  }

  private static StageResult parse(Library library, Task task) {
    // begin branch
    return library.isText(task.payload()) ? StageResult.moveTo("index") : StageResult.next();
    // end branch
  }

  private static StageResult index(Library library, Task task) {
    library.index(task.payload());
    return StageResult.finish();
  }

  static void show(Tenant acme, long id) {
    // begin way
    for (StageVisit visit : docs.way(acme.history().scanAttempts(id))) {
      System.out.println(visit.stage() + " " + visit.state() + " since " + visit.enteredAt());
    }
    // end way
  }

  /** What the stages call. */
  interface Library {

    String fetch(String url);

    boolean isText(String page);

    String read(String image);

    void index(String words);

    void expect(long id);
  }
}
