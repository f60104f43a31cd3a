package dev.rota.demo;

import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jooq.CloseableDSLContext;

/**
 * Runs a workload end to end, with a producer, a worker and a rotation daemon in this JVM. It
 * verifies from the tables that nothing was lost or run twice.
 */
public final class Demo {

  /** The number of attempts of failing tasks. */
  static final int MAX_ATTEMPTS = 2;

  private static final RetryPolicy RETRY =
      RetryPolicy.exponential(MAX_ATTEMPTS, Duration.ofMillis(5), Duration.ofMillis(20));

  /** The tick of the daemon, so short that retries after milliseconds do not wait for it. */
  private static final Duration TICK = Duration.ofMillis(100);

  /**
   * The connections beside those of producers and workers: daemon, archiver, heartbeats, discovery,
   * listening.
   */
  private static final int OTHER_CONNECTIONS = 7;

  private final DemoTarget target;
  private final DemoSettings settings;
  private final DemoProgress progress;

  private Demo(DemoTarget target, DemoSettings settings, DemoProgress progress) {
    this.target = target;
    this.settings = settings;
    this.progress = progress;
  }

  /**
   * Runs a demo. Its tenants are new ones, so other tasks in the database do not matter; they stay
   * there afterwards.
   *
   * @param target the database; its schema is migrated
   * @param settings the settings of the demo
   * @param progress receives the progress
   * @return the report; the caller decides about defects
   * @throws InterruptedException if the thread was interrupted; everything is stopped then
   */
  public static DemoReport run(DemoTarget target, DemoSettings settings, DemoProgress progress)
      throws InterruptedException {
    return new Demo(target, settings, progress).run();
  }

  /** The number of connections of a demo. */
  static int connections(DemoSettings.Threads threads) {
    return threads.producers() + threads.workers() + OTHER_CONNECTIONS;
  }

  private DemoReport run() throws InterruptedException {
    // First, so that a malformed trace is found before anything is enqueued.
    progress.stage("reading the workload");
    long total = settings.workload().count();
    int connections = connections(settings.threads());
    try (Rota rota = rota(connections)) {
      progress.stage("migrating the schema");
      rota.admin().migrate();
      progress.stage("registering " + settings.tenants() + " tenants");
      List<Tenant> tenants = rota.tenants().registerAll(DemoTenants.names(settings.tenants()));
      return work(rota, tenants, total);
    }
  }

  private Rota rota(int connections) {
    Rota.Builder builder = target.rotaBuilder().retry(RETRY).poolSize(connections);
    settings.rotation().archiving().ifPresent(archiving -> builder.archive(archiving.archive()));
    return builder.build();
  }

  private DemoReport work(Rota rota, List<Tenant> tenants, long total) throws InterruptedException {
    HandlerEffects effects = new HandlerEffects(MAX_ATTEMPTS);
    progress.stage("working");
    try (CloseableDSLContext context = target.connect();
        RotationDaemon daemon = daemon(rota);
        Worker worker = worker(rota, effects);
        Production production =
            Production.start(tenants, settings.workload(), settings.threads().producers())) {
      DemoTables tables = new DemoTables(context, target.schema(), tenants);
      Optional<ArchiveWatch> archive =
          settings.rotation().archiving().map(a -> new ArchiveWatch(a, tenants, tables));
      DemoRun run = new DemoRun(production, effects, daemon, tables, archive);
      return run.finish(total, settings, progress);
    }
  }

  private RotationDaemon daemon(Rota rota) {
    RotationDaemon.Builder builder =
        RotationDaemon.builder(rota)
            .rotateEvery(settings.rotation().period())
            .segmentBytes(settings.rotation().segmentBytes())
            .tick(TICK)
            .workShare(1);
    settings
        .rotation()
        .archiving()
        .ifPresent(
            archiving ->
                builder
                    .archive(archiving.archive())
                    .keepHistory(archiving.keepHot())
                    .segmentAge(archiving.keepHot()));
    return builder.start();
  }

  private Worker worker(Rota rota, HandlerEffects effects) {
    return rota.worker()
        .handleBatch(Span.SUCCEEDS, tasks -> tasks.forEach(effects::succeed))
        .handleBatch(
            Span.FAILS,
            tasks -> {
              tasks.forEach(effects::fail);
              throw new DemoFailure();
            })
        .concurrency(settings.threads().workers())
        .retry(RETRY)
        .start();
  }

  /** The exception of a task that is meant to fail; without a stack trace, which is not needed. */
  private static final class DemoFailure extends Exception {

    private static final long serialVersionUID = 1L;

    DemoFailure() {
      super("this task of the trace had failed", null, false, false);
    }
  }
}
