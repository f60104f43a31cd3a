package dev.rota.benchmarks.dashboard;

import dev.rota.Rota;
import dev.rota.internal.db.Session.StatementObserver;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * People before a dashboard, each with a page that renews itself every two seconds. Thread-safe.
 */
public final class Viewers implements AutoCloseable {

  /** The name of their dashboard's connections. */
  static final String APPLICATION = "rota-dashboard";

  private static final long RENEWAL_MILLIS = 2_000;
  private static final String CHARTED = "/";

  private final ServedDashboard dashboard;
  private final PageClient client;
  private final ScheduledExecutorService threads;
  private final AtomicLong answers = new AtomicLong();
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

  private Viewers(ServedDashboard dashboard, String tenant, int number) {
    this.dashboard = dashboard;
    this.client = new PageClient(dashboard.address());
    this.threads = Executors.newScheduledThreadPool(number);
    List<String> pages = Page.watched(tenant);
    for (int i = 0; i < number; i++) {
      String page = pages.get(i % pages.size());
      var unused =
          threads.scheduleAtFixedRate(
              () -> renew(page),
              i * RENEWAL_MILLIS / number,
              RENEWAL_MILLIS,
              TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Opens a dashboard and lets viewers watch it.
   *
   * @param builder builds what the dashboard reads by, over a database with a schema of Rota
   * @param tenant the name of the tenant whose page some watch
   * @param number how many viewers
   * @return the viewers, to be closed by the caller
   */
  public static Viewers of(Rota.Builder builder, String tenant, int number) {
    return of(builder, tenant, number, StatementObserver.NONE);
  }

  static Viewers of(Rota.Builder builder, String tenant, int number, StatementObserver observer) {
    return new Viewers(ServedDashboard.open(builder, observer), tenant, number);
  }

  private void renew(String page) {
    try {
      client.get(page);
      if (page.equals(CHARTED)) {
        client.get("/chart.json");
      }
      answers.incrementAndGet();
    } catch (RuntimeException e) {
      boolean unused = failure.compareAndSet(null, e);
    }
  }

  /** How often a page was renewed so far. */
  long answers() {
    return answers.get();
  }

  /** Lets them close their pages. The dashboard stays open. */
  void leave() {
    threads.shutdown();
    try {
      boolean unused = threads.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Ends the viewers and their dashboard.
   *
   * @throws IllegalStateException if a page did not answer
   */
  @Override
  public void close() {
    leave();
    dashboard.close();
    RuntimeException first = failure.get();
    if (first != null) {
      throw new IllegalStateException("a viewer saw no page", first);
    }
  }
}
