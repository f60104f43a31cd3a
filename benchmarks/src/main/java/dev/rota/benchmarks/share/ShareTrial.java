package dev.rota.benchmarks.share;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Lets workers share tenants that all have a backlog, and measures what each gets. Used once. */
final class ShareTrial {

  private static final int BULK = 5_000;
  private static final int CONNECTIONS = 12;

  /** What a worker may hold of a tenant with few tasks: none of it is a backlog for the others. */
  private static final int MOST_HELD = 100;

  /** How much more than its share each tenant has in its backlog, so that it never ends. */
  private static final double RESERVE = 1.5;

  private final CommandDatabase database;
  private final Rota rota;
  private final ShareSettings settings;
  private final String kind = "share." + Long.toHexString(new SecureRandom().nextLong());
  private final Map<String, Integer> numbers = new HashMap<>();
  private final RunTimes times;

  ShareTrial(CommandDatabase database, Rota rota, ShareSettings settings) {
    this.database = database;
    this.rota = rota;
    this.settings = settings;
    this.times = new RunTimes(settings.tenants());
  }

  /** Runs the trial. */
  ShareReport run() throws InterruptedException {
    fill(register());
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try {
      for (int i = 0; i < settings.workers().processes(); i++) {
        Rota own = database.rotaBuilder().poolSize(CONNECTIONS).build();
        opened.addFirst(own);
        opened.addFirst(start(own));
      }
      return measure();
    } finally {
      times.end();
      opened.forEach(ShareTrial::close);
    }
  }

  private static void close(AutoCloseable opened) {
    try {
      opened.close();
    } catch (Exception e) {
      throw new IllegalStateException(opened + " cannot be closed", e);
    }
  }

  private List<Tenant> register() {
    List<String> names =
        IntStream.range(0, settings.tenants()).mapToObj(i -> kind + "." + i).toList();
    List<Tenant> tenants = rota.tenants().registerAll(names);
    Controls controls = rota.controls();
    for (int i = 0; i < names.size(); i++) {
      double weight = settings.weightOf(i);
      String plan = "weight-" + weight;
      if (i < settings.weights().size()) {
        controls.changeLimits(Scope.plan(plan), limits -> limits.weight(weight));
      }
      controls.changePlan(names.get(i), plan);
      numbers.put(names.get(i), i);
    }
    return tenants;
  }

  private void fill(List<Tenant> tenants) {
    double handlerSeconds = settings.workers().all() * settings.pace().seconds();
    for (int i = 0; i < tenants.size(); i++) {
      double seconds = RESERVE * handlerSeconds * settings.partOf(i);
      long held = (long) settings.workers().processes() * MOST_HELD;
      long tasks = held + (long) (seconds * 1e9 / settings.runOf(i).toNanos());
      for (long left = tasks; left > 0; left -= BULK) {
        int bulk = (int) Math.min(BULK, left);
        tenants.get(i).enqueueAll(Collections.nCopies(bulk, NewTask.of(kind, "{}")));
      }
    }
  }

  private Worker start(Rota own) {
    return own.worker()
        .concurrency(settings.workers().handlers())
        .handle(
            kind,
            task -> {
              int tenant = Objects.requireNonNull(numbers.get(task.tenant()));
              times.run(tenant, settings.runOf(tenant));
            })
        .start();
  }

  private ShareReport measure() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(settings.pace().warmup().toMillis());
    List<ShareReport.Window> windows = new ArrayList<>();
    double[] before = times.seconds();
    long since = System.nanoTime();
    for (int i = 0; i < settings.pace().windows(); i++) {
      TimeUnit.MILLISECONDS.sleep(settings.pace().window().toMillis());
      double[] after = times.seconds();
      long now = System.nanoTime();
      windows.add(new ShareReport.Window(difference(before, after), (now - since) / 1e9));
      before = after;
      since = now;
    }
    return new ShareReport(settings, windows);
  }

  private static List<Double> difference(double[] before, double[] after) {
    return IntStream.range(0, after.length).mapToObj(i -> after[i] - before[i]).toList();
  }
}
