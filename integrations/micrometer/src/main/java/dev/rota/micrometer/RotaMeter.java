package dev.rota.micrometer;

import static dev.rota.micrometer.RotaMeter.Source.DAEMON;
import static dev.rota.micrometer.RotaMeter.Source.STATUS;
import static dev.rota.micrometer.RotaMeter.Source.TASKS;
import static dev.rota.micrometer.RotaMeter.Source.TENANTS;
import static dev.rota.micrometer.RotaMeter.Source.WORKER;
import static dev.rota.micrometer.RotaMeter.Type.AGE;
import static dev.rota.micrometer.RotaMeter.Type.BYTES;
import static dev.rota.micrometer.RotaMeter.Type.COUNTER;
import static dev.rota.micrometer.RotaMeter.Type.GAUGE;
import static dev.rota.micrometer.RotaMeter.Type.LONG_TIMER;
import static dev.rota.micrometer.RotaMeter.Type.SHORT_TIMER;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one list of all meters. The table of the documentation comes from it, and the dashboard and
 * the alerts may use no others.
 */
enum RotaMeter {
  ENQUEUE(
      "rota.enqueue",
      LONG_TIMER,
      TASKS,
      "time that a caller waits for an enqueue; path is single, bulk, async or caller",
      "path",
      "outcome"),
  TASKS_ENQUEUED("rota.tasks.enqueued", COUNTER, TASKS, "tasks enqueued through a Tenant", "kind"),
  CLAIM(
      "rota.claim",
      SHORT_TIMER,
      TASKS,
      "time of a try to claim; outcome is tasks, empty or failed",
      "outcome"),
  TASKS_CLAIMED("rota.tasks.claimed", COUNTER, TASKS, "tasks claimed"),
  BATCHES_CLAIMED("rota.batches.claimed", COUNTER, TASKS, "batches claimed"),
  TASK_WAIT(
      "rota.task.wait",
      LONG_TIMER,
      TASKS,
      "time from the enqueue of a first attempt to its begin, a delay included",
      "kind"),
  TASK_RUN(
      "rota.task.run",
      LONG_TIMER,
      TASKS,
      "time of a handler; outcome is done, failed, dead or cancelled",
      "kind",
      "outcome"),
  TASKS_ENDED(
      "rota.tasks.ended",
      COUNTER,
      TASKS,
      "attempts whose outcome is committed. Failed ones are retried; released ones did not begin",
      "kind",
      "outcome"),
  TASKS_ERRORS(
      "rota.tasks.errors",
      COUNTER,
      TASKS,
      "failed and dead attempts by exception",
      "kind",
      "error"),
  SETTLE("rota.settle", SHORT_TIMER, TASKS, "time of a try to settle batches", "outcome"),
  SETTLE_DELAY(
      "rota.settle.delay",
      SHORT_TIMER,
      TASKS,
      "longest time from the end of a batch to its commit, once a settle"),
  BATCHES_LOST(
      "rota.batches.lost",
      COUNTER,
      TASKS,
      "batches whose outcomes were dropped: the lease was over"),
  TASKS_LOST("rota.tasks.lost", COUNTER, TASKS, "tasks of those batches, which run again"),

  TENANT_ENQUEUED(
      "rota.tenant.enqueued", COUNTER, TENANTS, "tasks enqueued through a Tenant", "tenant"),
  TENANT_ENDED(
      "rota.tenant.ended",
      COUNTER,
      TENANTS,
      "attempts whose outcome is committed",
      "tenant",
      "outcome"),

  WORKER_SLOTS(
      "rota.worker.slots", GAUGE, WORKER, "handlers of workers; state is busy or free", "state"),
  TASKS_ACTIVE(
      "rota.tasks.active",
      GAUGE,
      WORKER,
      "calls of handlers that run, of each kind that a worker has",
      "kind"),
  TASKS_HELD(
      "rota.tasks.held",
      GAUGE,
      WORKER,
      "claimed tasks that did not begin; state is queued, or bounded by a rule such as a cap",
      "state"),
  TASKS_UNSETTLED("rota.tasks.unsettled", GAUGE, WORKER, "claimed tasks that are not settled"),

  DAEMON_LEADING("rota.daemon.leading", GAUGE, DAEMON, "1 if a daemon of this process leads"),
  ROTATIONS(
      "rota.rotations", COUNTER, DAEMON, "rotations; outcome is switched or postponed", "outcome"),
  TASKS_PROMOTED("rota.tasks.promoted", COUNTER, DAEMON, "delayed tasks that became pending"),
  TASKS_REAPED("rota.tasks.reaped", COUNTER, DAEMON, "tasks of dead workers that were returned"),
  TENANTS_PARKED("rota.tenants.parked", COUNTER, DAEMON, "idle tenants whose tables were dropped"),
  HISTORY_SEGMENTS(
      "rota.history.segments", COUNTER, DAEMON, "segments of history opened and dropped", "event"),
  LEDGER_SEGMENTS(
      "rota.ledger.segments",
      COUNTER,
      DAEMON,
      "segments of the ledger opened and dropped",
      "event"),
  ARCHIVE_SEGMENTS("rota.archive.segments", COUNTER, DAEMON, "segments archived"),
  ARCHIVE_SIZE("rota.archive.size", BYTES, DAEMON, "size of archived files"),
  ARCHIVE_FAILURES("rota.archive.failures", COUNTER, DAEMON, "failed tries to archive"),

  TASKS_PENDING("rota.tasks.pending", GAUGE, STATUS, "tasks ready to run, estimated"),
  TASKS_WAITING("rota.tasks.waiting", GAUGE, STATUS, "delayed tasks and retries, estimated"),
  TASKS_RUNNING("rota.tasks.running", GAUGE, STATUS, "tasks in open batches"),
  OLDEST_PENDING(
      "rota.tasks.oldest.age",
      AGE,
      STATUS,
      "how long the oldest pending task has been ready since the first look at it"),
  WORKERS_ALIVE("rota.workers.alive", GAUGE, STATUS, "processes that hold a lease"),
  DAEMON_PRESENT("rota.daemon.present", GAUGE, STATUS, "1 if any daemon leads"),
  STATUS_AGE("rota.status.age", AGE, STATUS, "time since the status was read");

  /** What kind of meter it is. */
  enum Type {
    COUNTER("counter", null),
    /** A counter of bytes. */
    BYTES("counter", "bytes"),
    GAUGE("gauge", null),
    /** A gauge of time. */
    AGE("gauge", "seconds"),
    /** A timer of statements. */
    SHORT_TIMER("timer", null),
    /** A timer of what depends on the application. */
    LONG_TIMER("timer", null);

    private final String text;
    private final @Nullable String unit;

    Type(String text, @Nullable String unit) {
      this.text = text;
      this.unit = unit;
    }

    String text() {
      return text;
    }

    /** The unit of its values; null if it has none, or if Micrometer knows it. */
    @Nullable String unit() {
      return unit;
    }
  }

  /** Where its values come from. */
  enum Source {
    TASKS("events of this process"),
    TENANTS("the same, after `tenants(limit)`"),
    WORKER("memory of the workers of this process"),
    DAEMON("memory of the daemons of this process"),
    STATUS("statements of `watch`, for the whole database");

    private final String text;

    Source(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  private final String id;
  private final Type type;
  private final Source source;
  private final String description;

  @SuppressWarnings("ImmutableEnumChecker") // It is a List.of.
  private final List<String> tags;

  RotaMeter(String id, Type type, Source source, String description, String... tags) {
    this.id = id;
    this.type = type;
    this.source = source;
    this.description = description;
    this.tags = List.of(tags);
  }

  /** Its name in Micrometer. */
  String id() {
    return id;
  }

  Type type() {
    return type;
  }

  Source source() {
    return source;
  }

  /** What it measures, in words. */
  String description() {
    return description;
  }

  /** The names of its tags. */
  List<String> tags() {
    return tags;
  }
}
