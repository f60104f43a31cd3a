package dev.rota.benchmarks.dashboard;

import dev.rota.Rota;
import dev.rota.internal.db.Session.StatementObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * People before a dashboard, each with a page that renews itself as it does in a browser.
 * Thread-safe.
 */
public final class Viewers implements AutoCloseable {

  /** The name of their dashboard's connections. */
  static final String APPLICATION = "rota-dashboard";

  private static final String CHARTED = "/";

  private final ServedDashboard dashboard;
  private final PageClient client;
  private final List<String> pages;
  private final ScheduledExecutorService threads;
  private final AtomicLong answers = new AtomicLong();
  private volatile boolean watching = true;
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

  private Viewers(ServedDashboard dashboard, String tenant, int number) {
    this.dashboard = dashboard;
    this.client = new PageClient(dashboard.address());
    this.threads = Executors.newScheduledThreadPool(number);
    this.pages = Page.watched(tenant);
    for (int i = 0; i < number; i++) {
      String page = pages.get(i % pages.size());
      long millis = client.renewal(page).toMillis();
      var unused =
          threads.scheduleAtFixedRate(
              () -> renew(page), i * millis / number, millis, TimeUnit.MILLISECONDS);
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

  /**
   * Asks for all pages one after the other, each time anew, as viewers would in some minutes. So
   * the compiler is done with them before a measurement.
   *
   * @param time for how long
   */
  public void warmUp(Duration time) {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < time.toNanos()) {
      dashboard.forget();
      pages.forEach(client::get);
    }
  }

  private void renew(String page) {
    if (!watching) {
      return;
    }
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

  /**
   * Lets viewers hide their pages, which then do not renew themselves, or look again.
   *
   * @param watching whether they look
   */
  public void watch(boolean watching) {
    this.watching = watching;
  }

  /**
   * How often a page was renewed so far.
   *
   * @return the number
   */
  public long answers() {
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
