package dev.rota.benchmarks.pause;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.internal.RotaBuilder;
import dev.rota.limits.Scope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Pauses and resumes a tenant with a deep backlog, in turns, beside a worker of another process
 * that runs it. Used by one thread.
 */
final class PauseTrial {

  private static final int BULK = 10_000;
  private static final double NANOS_A_MILLI = 1e6;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final CommandDatabase database;
  private final PauseSettings settings;
  private final String kind = "pause." + UUID.randomUUID();
  private final CallCounter ofOperator = new CallCounter();
  private final CallCounter ofWorker = new CallCounter();
  private final AtomicLong lastStart = new AtomicLong();
  private final AtomicLong firstStart = new AtomicLong();

  PauseTrial(CommandDatabase database, PauseSettings settings) {
    this.database = database;
    this.settings = settings;
  }

  /** Measures all rounds. Some tasks of the tenant are left. */
  PauseReport run() throws InterruptedException {
    try (Rota operator = RotaBuilder.build(database.rotaBuilder(), ofOperator);
        Rota process = RotaBuilder.build(database.rotaBuilder(), ofWorker)) {
      Tenant tenant = operator.tenants().register("pause-" + UUID.randomUUID());
      fill(tenant);
      try (Worker worker = start(process)) {
        List<PauseReport.Round> rounds = new ArrayList<>();
        for (int i = 0; i < settings.rounds(); i++) {
          rounds.add(round(operator, Scope.tenant(tenant.name())));
        }
        operator.controls().pause(Scope.tenant(tenant.name()), "the benchmark is over");
        return new PauseReport(settings, rounds);
      }
    }
  }

  private void fill(Tenant tenant) {
    for (long left = settings.pending(); left > 0; left -= BULK) {
      int bulk = (int) Math.min(BULK, left);
      tenant.enqueueAll(Collections.nCopies(bulk, NewTask.of(kind, "{}")));
    }
  }

  private Worker start(Rota process) {
    return process
        .worker()
        .concurrency(settings.handlers())
        .handle(
            kind,
            task -> {
              long now = System.nanoTime();
              firstStart.compareAndSet(0, now);
              lastStart.accumulateAndGet(now, Math::max);
              TimeUnit.NANOSECONDS.sleep(settings.run().toNanos());
            })
        .start();
  }

  private PauseReport.Round round(Rota operator, Scope scope) throws InterruptedException {
    awaitStart();
    long calls = ofOperator.calls();
    long sent = System.nanoTime();
    operator.controls().pause(scope, "a benchmark");
    long returned = System.nanoTime();
    calls = ofOperator.calls() - calls;
    long claims = claimsOfPause();
    PauseReport.Step pause =
        new PauseReport.Step(millis(returned - sent), millis(lastStart.get() - returned), calls);
    return new PauseReport.Round(pause, resume(operator, scope), claims);
  }

  /** Lets the pause last. The first half is for claims under way, and the others count. */
  private long claimsOfPause() throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(settings.quiet().toNanos() / 2);
    long before = ofWorker.claims();
    TimeUnit.NANOSECONDS.sleep(settings.quiet().toNanos() / 2);
    return ofWorker.claims() - before;
  }

  private PauseReport.Step resume(Rota operator, Scope scope) throws InterruptedException {
    long calls = ofOperator.calls();
    firstStart.set(0);
    long sent = System.nanoTime();
    boolean unused = operator.controls().resume(scope);
    long returned = System.nanoTime();
    calls = ofOperator.calls() - calls;
    awaitStart();
    return new PauseReport.Step(
        millis(returned - sent), millis(firstStart.get() - returned), calls);
  }

  private static double millis(long nanos) {
    return Math.max(0, nanos) / NANOS_A_MILLI;
  }

  /** Waits until a task has begun since the last resume. */
  private void awaitStart() throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (firstStart.get() == 0) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "no task began for 30 s; use more --pending or a longer --run");
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }
}
