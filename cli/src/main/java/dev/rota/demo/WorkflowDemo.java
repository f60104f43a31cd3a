package dev.rota.demo;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import dev.rota.demo.DemoProgress.Snapshot;
import dev.rota.demo.DemoReport.Audit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jooq.CloseableDSLContext;

/**
 * Runs many copies of a workflow as graphs, with producers, a worker and a daemon in this JVM. It
 * verifies that no task began before all its parents had ended, none was lost and none ran twice.
 */
public final class WorkflowDemo {

  private static final String KIND = "workflow.step";
  private static final long LOOK_MILLIS = 20;

  private final WorkflowSettings settings;
  private final DemoProgress progress;
  private final StepRuns book;
  private final HandlerEffects effects = new HandlerEffects(1);
  private final IdSet enqueued = new IdSet();
  private final AtomicInteger copies = new AtomicInteger();
  private final AtomicInteger enqueuedCopies = new AtomicInteger();

  private WorkflowDemo(WorkflowSettings settings, DemoProgress progress) {
    this.settings = settings;
    this.progress = progress;
    this.book = new StepRuns(settings.workflow(), settings.copies());
  }

  /**
   * Runs a demo. Its tenants are new ones, which stay in the database afterwards.
   *
   * @param target the database; its schema is migrated
   * @param settings the settings of the demo
   * @param progress receives the progress
   * @return the report; the caller decides about defects
   * @throws dev.rota.graph.CyclicGraphException if the workflow has a cycle; nothing is enqueued
   *     then
   * @throws InterruptedException if the thread was interrupted; everything is stopped then
   */
  public static WorkflowReport run(
      DemoTarget target, WorkflowSettings settings, DemoProgress progress)
      throws InterruptedException {
    return new WorkflowDemo(settings, progress).run(target);
  }

  private WorkflowReport run(DemoTarget target) throws InterruptedException {
    // First, so that a cycle is found before anything is enqueued.
    settings.workflow().graph(KIND, 0);
    int connections = Demo.connections(settings.threads());
    try (Rota rota = target.rotaBuilder().poolSize(connections).build();
        CloseableDSLContext context = target.connect()) {
      progress.stage("migrating the schema");
      rota.admin().migrate();
      progress.stage("registering " + settings.tenants() + " tenants");
      List<Tenant> tenants = rota.tenants().registerAll(DemoTenants.names(settings.tenants()));
      DemoTables tables = new DemoTables(context, target.schema(), tenants);
      progress.stage("working");
      return work(rota, tenants, tables);
    }
  }

  private WorkflowReport work(Rota rota, List<Tenant> tenants, DemoTables tables)
      throws InterruptedException {
    long startedAt = System.nanoTime();
    ExecutorService producers = Executors.newFixedThreadPool(settings.threads().producers());
    try (RotationDaemon daemon = RotationDaemon.builder(rota).start();
        Worker worker = worker(rota)) {
      CompletableFuture<?>[] production = new CompletableFuture<?>[settings.threads().producers()];
      for (int i = 0; i < production.length; i++) {
        production[i] = CompletableFuture.runAsync(() -> produce(tenants), producers);
      }
      StallDetector stall = new StallDetector(settings.patience());
      await(CompletableFuture.allOf(production), stall);
      Audit audit = settle(tables, stall);
      double seconds = (System.nanoTime() - startedAt) / 1e9;
      if (stall.stalled()) {
        progress.warn("nothing has moved for " + settings.patience().toSeconds() + " seconds");
      }
      return report(audit, seconds);
    } finally {
      producers.shutdownNow();
    }
  }

  private Worker worker(Rota rota) {
    return rota.worker().handle(KIND, this::run).concurrency(settings.threads().workers()).start();
  }

  private void run(Task task) {
    String[] place = task.payload().split(":", 2);
    int copy = Integer.parseInt(place[0]);
    int step = Integer.parseInt(place[1]);
    book.begin(copy, step);
    effects.succeed(task);
    book.end(copy, step);
  }

  private void produce(List<Tenant> tenants) {
    for (int copy = copies.getAndIncrement();
        copy < settings.copies();
        copy = copies.getAndIncrement()) {
      Tenant tenant = tenants.get(copy % tenants.size());
      var graph = tenant.graphs().enqueue(settings.workflow().graph(KIND, copy));
      graph.taskIds().forEach(enqueued::add);
      enqueuedCopies.incrementAndGet();
    }
  }

  private void await(CompletableFuture<Void> production, StallDetector stall)
      throws InterruptedException {
    long total = nodes(settings.copies());
    while (book.ended() < total && !stall.stalled()) {
      throwFailure(production);
      progress.update(new Snapshot(total, nodes(enqueuedCopies.get()), book.ended(), 0, 0));
      stall.observe(enqueuedCopies.get() + book.ended());
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private static void throwFailure(CompletableFuture<Void> production) {
    try {
      production.getNow(null);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private Audit settle(DemoTables tables, StallDetector stall) throws InterruptedException {
    int open = tables.openBatches().length;
    while (open > 0 && !stall.stalled()) {
      stall.observe(nodes(settings.copies()) + open);
      Thread.sleep(LOOK_MILLIS);
      open = tables.openBatches().length;
    }
    return new DemoAudit(tables).audit(enqueued, effects);
  }

  private WorkflowReport report(Audit audit, double seconds) {
    long edges = (long) settings.copies() * settings.workflow().edges();
    return new WorkflowReport(nodes(settings.copies()), edges, book.violated(), audit, seconds);
  }

  private long nodes(int ofCopies) {
    return (long) ofCopies * settings.workflow().steps().size();
  }
}
