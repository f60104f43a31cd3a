package dev.rota.demo;

import dev.rota.NewTask;
import java.util.List;

/**
 * Tasks that differ only in their number: a row of a trace, or a part of it. One object represents
 * thousands of tasks until they are enqueued.
 *
 * @param job the job; its remainder by the number of tenants names the tenant
 * @param task the number of the task within the job
 * @param first the number of the first instance
 * @param count how many instances
 * @param fails whether every attempt at them fails
 */
record Span(long job, long task, int first, int count, boolean fails) {

  /** The kind of tasks that succeed. */
  static final String SUCCEEDS = "demo.succeeds";

  /** The kind of tasks of which every attempt fails. */
  static final String FAILS = "demo.fails";

  Span head(int instances) {
    return new Span(job, task, first, instances, fails);
  }

  Span tail(int skipped) {
    return new Span(job, task, first + skipped, count - skipped, fails);
  }

  void addTo(List<NewTask> tasks) {
    String kind = fails ? FAILS : SUCCEEDS;
    String start = "{\"job\":" + job + ",\"task\":" + task + ",\"instance\":";
    for (int i = 0; i < count; i++) {
      tasks.add(NewTask.of(kind, start + (first + i) + "}"));
    }
  }
}
