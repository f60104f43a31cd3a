package dev.rota.benchmarks;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.benchmarks.rivals.RivalWorkload;
import dev.rota.benchmarks.rivals.RotaTenants;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.Session.StatementObserver;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Rota in a new database, for benchmarks without rivals. */
final class RotaTrial implements AutoCloseable {

  static final String KIND = "nothing";

  private final TrialDatabase database;
  private final Rota rota;
  private final List<Tenant> tenants;
  private int registered;

  private RotaTrial(TrialDatabase database, Rota rota, List<Tenant> tenants) {
    this.database = database;
    this.rota = rota;
    this.tenants = tenants;
    this.registered = tenants.size();
  }

  static RotaTrial open() throws Exception {
    return open(0, StatementObserver.NONE);
  }

  /**
   * Opens Rota with tenants, and with an observer that times calls without a method of their own.
   */
  static RotaTrial open(int tenants, StatementObserver observer) throws Exception {
    TrialDatabase database = TrialDatabase.create(tenants);
    try {
      Rota rota = RotaBuilder.build(Rota.builder(database.url()), observer);
      rota.admin().migrate();
      return new RotaTrial(database, rota, RotaTenants.register(rota, tenants));
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

  /** The tenants of the start. */
  List<Tenant> tenants() {
    return tenants;
  }

  /** Registers a number of new tenants. */
  List<Tenant> register(int count) {
    int first = registered;
    registered += count;
    return rota.tenants()
        .registerAll(
            IntStream.range(first, registered).mapToObj(number -> "tenant-" + number).toList());
  }

  /** Makes the tables of registered tenants, as their first tasks would. */
  void makeTables(List<Tenant> parked) {
    parked.forEach(tenant -> RotaTenants.makeTables(rota, tenant));
  }

  /** Creates tasks with payloads of the given size. */
  static List<NewTask> tasks(int count, int payload) {
    String text = new RivalWorkload(1, count, payload).payloadText();
    return Collections.nCopies(count, NewTask.of(KIND, text));
  }

  /** Fails unless a number is the expected one. */
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
