package dev.rota.benchmarks;

import dev.rota.benchmarks.rivals.Consumption;
import dev.rota.benchmarks.rivals.Contender;
import dev.rota.benchmarks.rivals.Contenders;
import dev.rota.benchmarks.rivals.Crew;
import dev.rota.benchmarks.rivals.RivalProducer;
import dev.rota.benchmarks.rivals.RivalWorkload;
import java.util.ArrayList;
import java.util.List;

/**
 * One contender in a new database, with producers, and with the expected contents of its tables.
 */
final class Contest implements AutoCloseable {

  private final TrialDatabase database;
  private final RivalWorkload workload;
  private final Contender contender;
  private final Crew crew;
  private final List<RivalProducer> producers;
  private long enqueued;
  private long drained;

  private Contest(
      TrialDatabase database,
      RivalWorkload workload,
      Contender contender,
      List<RivalProducer> producers) {
    this.database = database;
    this.workload = workload;
    this.contender = contender;
    this.producers = producers;
    this.crew = new Crew(producers.size());
  }

  /**
   * Opens a contender in a new database.
   *
   * @param threads the number of producers
   */
  static Contest open(String name, RivalWorkload workload, int threads) throws Exception {
    TrialDatabase database =
        TrialDatabase.create(Contenders.usesRotaTables(name) ? workload.tenants() : 0);
    try {
      Contender contender = Contenders.open(name, database.url(), workload);
      List<RivalProducer> producers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        producers.add(contender.producer());
      }
      return new Contest(database, workload, contender, producers);
    } catch (Exception e) {
      database.close();
      throw e;
    }
  }

  /**
   * Lets all producers enqueue at once, their batches to the tenants in turns; returns when all
   * tasks are durable.
   *
   * @param tasks how many in total
   * @param batch how many in one transaction
   */
  void enqueue(int tasks, int batch) throws Exception {
    requireMultiple("tasks", tasks, batch);
    int batches = tasks / batch;
    crew.run(
        member -> {
          RivalProducer producer = producers.get(member);
          for (int i = member; i < batches; i += crew.size()) {
            producer.enqueue(i % workload.tenants(), batch);
          }
          producer.await();
        });
    enqueued += tasks;
  }

  /** Gives each tenant the same number of tasks. */
  void fill(int tasks) throws Exception {
    requireMultiple("tasks", tasks, workload.tenants());
    contender.fill(tasks);
    enqueued += tasks;
  }

  /** Runs all tasks that were stored before. */
  void drain(int tasks) throws Exception {
    contender.drain(tasks);
    drained += tasks;
  }

  /**
   * Runs producers and consumers at once.
   *
   * @param mostPending producers pause while more tasks than this wait for their end
   * @param seconds for how long
   * @return the figures until then; tasks still pending are run afterwards
   */
  MixedLoad.Figures mix(int batch, int mostPending, int seconds) throws Exception {
    AutoCloseable nothing = () -> {};
    return mixBeside(batch, mostPending, seconds, consumption -> nothing).figures();
  }

  /**
   * The same beside something else, which is closed when the producers have ended.
   *
   * @param beside opens it when the consumers have started
   */
  <T extends AutoCloseable> Mixed<T> mixBeside(
      int batch, int mostPending, int seconds, Beside<T> beside) throws Exception {
    try (Consumption consumption = contender.consume()) {
      MixedLoad load = new MixedLoad(consumption, mostPending, seconds);
      T opened = beside.open(consumption);
      try (opened) {
        crew.run(member -> load.produce(producers.get(member), member, batch, workload.tenants()));
      }
      MixedLoad.Figures figures = load.figures();
      long stored = load.awaitEnd();
      enqueued += stored;
      drained += stored;
      return new Mixed<>(figures, opened);
    }
  }

  /** A thing that is there while producers and consumers run, such as a measurement. */
  @FunctionalInterface
  interface Beside<T extends AutoCloseable> {
    T open(Consumption consumption);
  }

  /** The figures of a load, and what was there beside it. */
  record Mixed<T>(MixedLoad.Figures figures, T beside) {}

  /** Gives the next shot the same distance to a checkpoint as those of other contenders. */
  void checkpoint() throws Exception {
    TrialDatabase.execute(database.url(), "checkpoint");
  }

  /** The JDBC URL of the database. */
  String url() {
    return database.url();
  }

  long walBytes() throws Exception {
    return database.walBytes();
  }

  /** Fails unless the tables have exactly the expected contents. */
  void verify() throws Exception {
    Contender.Census expected = new Contender.Census(enqueued - drained, drained);
    Contender.Census found = contender.census();
    if (!found.equals(expected)) {
      throw new IllegalStateException("the tables hold " + found + " instead of " + expected);
    }
  }

  private static void requireMultiple(String what, int number, int divisor) {
    if (number % divisor != 0) {
      throw new IllegalArgumentException(
          what + " is " + number + ", which is not a multiple of " + divisor);
    }
  }

  @Override
  public void close() throws Exception {
    for (RivalProducer producer : producers) {
      producer.close();
    }
    crew.close();
    contender.close();
    database.close();
  }
}
