package dev.rota.internal;

import dev.rota.Finding;
import dev.rota.Roles;
import dev.rota.Rota;
import dev.rota.Tenants;
import dev.rota.Worker;
import dev.rota.internal.db.BatchEnd;
import dev.rota.internal.log.Logs;
import dev.rota.internal.worker.WorkerFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/** A Rota in the hands of a user: puts the parts together, and takes them apart in order. */
public final class RotaView implements Rota {

  private static final Logger log = Logs.of(RotaView.class);

  private final Engine engine;
  private final Runnable closePool;
  private final GroupCommit groupCommit;
  private final GroupCommit keyedCommit;
  private final Tenants tenants;
  private final Set<Worker> workers = ConcurrentHashMap.newKeySet();
  private boolean closed;

  RotaView(Engine engine, Runnable closePool) {
    this.engine = engine;
    this.closePool = closePool;
    TaskRules rules = new TaskRules(engine.settings().payloadLimit());
    KeyRegister keys = new KeyRegister(engine.keyTables());
    this.groupCommit = groupCommit(new PlainStore(engine.taskIds()));
    this.keyedCommit = groupCommit(new KeyedStore(keys, engine.taskIds()));
    this.tenants =
        new TenantsView(
            new TenantView.Services(
                engine,
                new Enqueuer(engine, rules, keys),
                new TenantView.Commits(groupCommit, keyedCommit),
                rules,
                engine.claimers().claimer(null, BatchEnd.OPEN)));
  }

  private GroupCommit groupCommit(GroupStore store) {
    return new GroupCommit(
        engine.database(), store, engine.doorbell(), engine.settings().asyncMemory());
  }

  /** The parts behind a Rota, for the daemon. */
  public static Engine engineOf(Rota rota) {
    if (rota instanceof RotaView view) {
      return view.engine;
    }
    throw new IllegalArgumentException("this Rota was not built by Rota.builder(...)");
  }

  /** Whether the schema waits for migrations of this library, as far as its role may know. */
  public static boolean isSchemaBehind(Rota rota) {
    return new Migration(engineOf(rota)).isPending();
  }

  @Override
  public void migrate() {
    engine.ensureOpen();
    new Migration(engine).run(null);
  }

  @Override
  public void migrate(Roles roles) {
    engine.ensureOpen();
    new Migration(engine).run(roles);
  }

  @Override
  public List<Finding> preflight() {
    engine.ensureOpen();
    return engine.preflight().findings();
  }

  @Override
  public Tenants tenants() {
    return tenants;
  }

  @Override
  public Worker.Builder worker() {
    engine.ensureOpen();
    return WorkerFactory.builder(engine, workers);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    engine.refuseNewWork();
    groupCommit.close();
    keyedCommit.close();
    Set.copyOf(workers).forEach(Worker::close);
    engine.closeDependents();
    signOff();
    engine.close();
    closePool.run();
  }

  /**
   * Others run what is left when the lease is over: a database that is away must not hold us up.
   */
  private void signOff() {
    quietly("hand back its assignments", engine.assignmentPools()::handBack);
    quietly("sign off", engine.lease()::close);
  }

  private static void quietly(String what, Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      log.warn("Rota could not {}: {}", what, e.getMessage());
    }
  }
}
