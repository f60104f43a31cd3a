package dev.rota.benchmarks;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.benchmarks.rivals.Workload;
import dev.rota.internal.RotaFactory;
import dev.rota.internal.db.CallObserver;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Rota in a new database, for benchmarks without rivals. */
final class RotaTrial implements AutoCloseable {

  static final String KIND = "nothing";

  private final TrialDatabase database;
  private final Rota rota;
  private int registered;

  private RotaTrial(TrialDatabase database, Rota rota) {
    this.database = database;
    this.rota = rota;
  }

  static RotaTrial open() throws Exception {
    return open(CallObserver.NONE);
  }

  /** With an observer that can time what has no method of its own to be measured. */
  static RotaTrial open(CallObserver observer) throws Exception {
    TrialDatabase database = TrialDatabase.create();
    try {
      Rota rota = RotaFactory.build(Rota.builder(database.url()), observer);
      rota.migrate();
      return new RotaTrial(database, rota);
    } catch (Exception e) {
      database.close();
      throw e;
    }
  }

  Rota rota() {
    return rota;
  }

  String url() {
    return database.url();
  }

  /** So many new tenants. */
  List<Tenant> register(int count) {
    int first = registered;
    registered += count;
    return rota.tenants()
        .registerAll(
            IntStream.range(first, registered).mapToObj(number -> "tenant-" + number).toList());
  }

  /** Tasks with payloads of so many bytes. */
  static List<NewTask> tasks(int count, int payload) {
    String text = new Workload(1, count, payload).payloadText();
    return Collections.nCopies(count, NewTask.of(KIND, text));
  }

  /** Fails unless it is what it should be. */
  static void require(String what, long expected, long found) {
    if (expected != found) {
      throw new IllegalStateException(what + ": " + found + " instead of " + expected);
    }
  }

  @Override
  public void close() throws Exception {
    rota.close();
    database.close();
  }
}
