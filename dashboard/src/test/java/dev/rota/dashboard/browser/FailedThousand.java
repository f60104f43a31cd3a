package dev.rota.dashboard.browser;

import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.RotaFixture;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import dev.rota.dashboard.DashboardServer;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.ErrorQuery;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A dashboard over a thousand tasks of five tenants, which died of three errors. The text of each
 * error holds a number, a name or an identifier of its task.
 */
final class FailedThousand extends RotaFixture {

  static final int TASKS = 1_000;
  static final int TENANTS = 5;
  static final String KIND = "mail.send";

  /** A reason why every third task fails. */
  enum Failure {
    NO_ORDER("no order %d of customer %s", "no order # of customer #"),
    NO_CONNECTION(
        "no connection to 10.0.%1$d.7:5432, see https://wiki.example/%2$s",
        "no connection to #:#, see #"),
    FULL_MAILBOX("mailbox 'box-%1$d' of ann.%1$d@shop.example is full", "mailbox # of # is full");

    private final String message;
    private final String common;

    Failure(String message, String common) {
      this.message = message;
      this.common = common;
    }

    static Failure of(int number) {
      return values()[number % values().length];
    }

    /** What all its errors have in common, as pages show it. */
    String error() {
      return "java.lang.IllegalStateException: " + common;
    }

    /** The numbers of the tasks that fail so. */
    Set<Integer> tasks() {
      return IntStream.range(0, TASKS)
          .filter(number -> of(number) == this)
          .boxed()
          .collect(Collectors.toCollection(TreeSet::new));
    }

    private IllegalStateException of(Task task) {
      UUID customer = new UUID(task.id() * 0x9E3779B97F4A7C15L, task.id());
      return new IllegalStateException(String.format(Locale.ROOT, message, number(task), customer));
    }
  }

  private final List<Tenant> tenants;
  private final DashboardServer server;

  FailedThousand(TestDatabase database) {
    super(database);
    tenants = IntStream.range(0, TENANTS).mapToObj(each -> tenant("shop-" + each)).toList();
    for (int number = 0; number < TENANTS; number++) {
      tenants.get(number).enqueueAll(tasks(number));
    }
    fail();
    server = closeLater(FilledDashboard.serve(rota()));
  }

  private static List<NewTask> tasks(int tenant) {
    int each = TASKS / TENANTS;
    return IntStream.range(tenant * each, (tenant + 1) * each)
        .mapToObj(number -> NewTask.of(KIND, Integer.toString(number)))
        .toList();
  }

  private static int number(Task task) {
    return Integer.parseInt(task.payload());
  }

  private void fail() {
    try (Worker worker =
        rota()
            .worker()
            .hourlyStatistics(true)
            .retry(RetryPolicy.never())
            .handle(
                KIND,
                task -> {
                  throw Failure.of(number(task)).of(task);
                })
            .start()) {
      Await.until("all died", () -> worker.statistics().dead(), TASKS);
    }
    Await.until("all are counted", () -> counted(), TASKS);
  }

  private long counted() {
    return errors().stream().mapToLong(error -> error.attempts().dead()).sum();
  }

  private List<ErrorActivity> errors() {
    Instant now = rota().insight().overview().readAt();
    Duration hour = Duration.ofHours(1);
    return rota().insight().errors(ErrorQuery.between(now.minus(hour), now.plus(hour)));
  }

  /** The number by which the dashboard names an error. */
  long fingerprint(Failure failure) {
    return errors().stream()
        .filter(error -> error.error().equals(failure.error()))
        .findFirst()
        .orElseThrow()
        .fingerprint();
  }

  URI address(String path) {
    return server.address().resolve(path);
  }

  /** How many attempts are in a state, over all tenants. */
  long count(TaskState state) {
    return tenants.stream().mapToLong(tenant -> tenant.history().scanStates().get(state)).sum();
  }

  /** When the waiting tasks of all tenants are due, in order. */
  List<Instant> dueTimes() throws SQLException {
    String waiting =
        tenants.stream()
            .map(tenant -> "select run_at from rota_%1$d.task_wait_%1$d".formatted(tenant.number()))
            .collect(Collectors.joining(" union all "));
    String micros =
        "select (extract(epoch from w.run_at) * 1000000)::bigint from (%s) w order by 1"
            .formatted(waiting);
    return texts(micros).stream()
        .map(each -> Instant.EPOCH.plus(Long.parseLong(each), ChronoUnit.MICROS))
        .toList();
  }

  /** Runs so many tasks, which succeed by now; returns the numbers of those that ran. */
  Set<Integer> succeed(int tasks) {
    Set<Integer> ran = new ConcurrentSkipListSet<>();
    try (RotationDaemon daemon = RotationDaemon.start(rota());
        Worker worker = rota().worker().handle(KIND, task -> ran.add(number(task))).start()) {
      Await.until("they are done", () -> worker.statistics().done(), tasks);
    }
    return ran;
  }
}
