package dev.rota.benchmarks.rivals;

import dev.rota.Rota;
import dev.rota.assignment.Assignment;
import dev.rota.assignment.Assignments;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import java.util.Optional;
import java.util.stream.LongStream;

/** Assignment pools of Rota through its public interface. */
final class RotaAssignments implements AssignmentContender {

  private final String url;
  private final Primitive primitive;
  private final Rota rota;
  private final WorkerPool workers;
  private final TaskPool tasks;
  private final PairPool pairs;

  RotaAssignments(String url, Primitive primitive) {
    this.url = url;
    this.primitive = primitive;
    this.rota = Rota.connect(url);
    Assignments pools = RotaTenants.register(rota, 1).get(0).assignments();
    this.workers = pools.workers("workers");
    this.tasks = pools.tasks("tasks");
    this.pairs = pools.pairs("pairs");
  }

  @Override
  public void fill(int questions) throws Exception {
    Jdbc.execute(url, "truncate rota_1.task_assignment_1, rota_1.task_free_1");
    switch (primitive) {
      case WORKER_FOR_TASK -> workers.add(LongStream.range(0, WORKERS).boxed().toList());
      case TASK_FOR_WORKER -> tasks.add(LongStream.range(0, questions).boxed().toList());
      case PAIR -> {}
    }
  }

  @Override
  public Client client() {
    return switch (primitive) {
      case WORKER_FOR_TASK -> releasing((worker, task) -> workers.assign(task).made());
      case TASK_FOR_WORKER -> asking((worker, task) -> tasks.assign(worker).made());
      case PAIR -> releasing((worker, task) -> pairs.assign(worker, task).made());
    };
  }

  private interface Question {
    Optional<Assignment> ask(int worker, int task);
  }

  private Client releasing(Question question) {
    return asking(
        (worker, task) -> {
          Optional<Assignment> made = question.ask(worker, task);
          made.ifPresent(this::release);
          return made;
        });
  }

  private void release(Assignment assignment) {
    if (!(primitive == Primitive.PAIR ? pairs : workers).release(assignment)) {
      throw new IllegalStateException("not held any more: " + assignment);
    }
  }

  private static Client asking(Question question) {
    return new Client() {
      @Override
      public boolean ask(int worker, int task) {
        return question.ask(worker, task).isPresent();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public long assigned() throws Exception {
    return Jdbc.number(url, "select count(*) from rota_1.task_assignment_1");
  }

  @Override
  public void close() {
    rota.close();
  }
}
