package dev.rota.micrometer;

import java.util.List;
import java.util.Map;

/**
 * The alerts, each with series that make it fire and series that do not. The file of rules and its
 * tests come from here.
 */
@SuppressWarnings("ImmutableEnumChecker") // Nothing changes them.
enum AlertRule {
  NO_DAEMON(
      new Rule("RotaNoDaemon", "max(rota_daemon_leading) < 1 or absent(rota_daemon_leading)", 2),
      Severity.CRITICAL,
      "No daemon leads. Delayed tasks and retries wait, and tables grow. Start `rota daemon`.",
      Map.of(),
      new Input("rota_daemon_leading{instance=\"a\"}", "0x240", "1x240"),
      new Input("rota_daemon_leading{instance=\"b\"}", "0x240", "0x240")),
  NO_WORKER(
      new Rule("RotaNoWorker", "max(rota_workers_alive) < 1 and max(rota_tasks_pending) > 0", 5),
      Severity.CRITICAL,
      "Tasks are ready to run, and no worker is alive. Start workers.",
      Map.of(),
      new Input("rota_workers_alive{instance=\"a\"}", "0x240", "1x240"),
      new Input("rota_tasks_pending{instance=\"a\"}", "5x240", "5x240")),
  TASKS_OVERDUE(
      new Rule("RotaTasksOverdue", "max(rota_tasks_oldest_age_seconds) > 300", 2),
      Severity.WARNING,
      "A task has been ready to run for five minutes. See `rota status` for its tenant.",
      Map.of(),
      new Input("rota_tasks_oldest_age_seconds{instance=\"a\"}", "0+60x240", "20x240")),
  STATUS_STALE(
      new Rule("RotaStatusStale", "min(rota_status_age_seconds) > 600", 1),
      Severity.WARNING,
      "The status has not been read for ten minutes. See the log of the process that watches.",
      Map.of(),
      new Input("rota_status_age_seconds{instance=\"a\"}", "0+60x240", "30x240")),
  DEAD_TASKS(
      new Rule(
          "RotaDeadTasks",
          "sum by (kind) (increase(rota_tasks_ended_total{outcome=\"dead\"}[10m])) > 0",
          0),
      Severity.WARNING,
      "Tasks of this kind are dead. See `rota errors`, and run them again by `rota redrive`.",
      Map.of("kind", "mail"),
      new Input("rota_tasks_ended_total{kind=\"mail\",outcome=\"dead\"}", "0+1x240", "7x240")),
  TASKS_FAIL(
      new Rule(
          "RotaTasksFail",
          "sum by (kind) (rate(rota_tasks_ended_total{outcome=~\"failed|dead\"}[10m]))"
              + " / sum by (kind) (rate(rota_tasks_ended_total{outcome=~\"done|failed|dead\"}[10m]))"
              + " > 0.05",
          10),
      Severity.WARNING,
      "More than 5 % of the attempts of this kind fail. See `rota errors`.",
      Map.of("kind", "mail"),
      new Input("rota_tasks_ended_total{kind=\"mail\",outcome=\"failed\"}", "0+10x240", "0+1x240"),
      new Input("rota_tasks_ended_total{kind=\"mail\",outcome=\"done\"}", "0+90x240", "0+99x240")),
  LEASES_LOST(
      new Rule("RotaLeasesLost", "sum(increase(rota_batches_lost_total[15m])) > 0", 0),
      Severity.WARNING,
      "A worker was silent for longer than its lease: its tasks run twice. Look for long pauses.",
      Map.of(),
      new Input("rota_batches_lost_total{instance=\"a\"}", "0+1x240", "3x240")),
  WORKERS_DIED(
      new Rule("RotaWorkersDied", "sum(increase(rota_tasks_reaped_total[15m])) > 0", 0),
      Severity.WARNING,
      "Workers died, and their tasks run again. Look for kills and for memory.",
      Map.of(),
      new Input("rota_tasks_reaped_total{instance=\"a\"}", "0+1x240", "3x240")),
  CLAIMS_FAIL(
      new Rule(
          "RotaClaimsFail",
          "sum(increase(rota_claim_seconds_count{outcome=\"failed\"}[5m])) > 5",
          5),
      Severity.CRITICAL,
      "Workers cannot claim. See their log.",
      Map.of(),
      new Input(
          "rota_claim_seconds_count{outcome=\"failed\",instance=\"a\"}", "0+60x240", "3x240")),
  SETTLES_FAIL(
      new Rule(
          "RotaSettlesFail",
          "sum(increase(rota_settle_seconds_count{outcome=\"failed\"}[5m])) > 5",
          5),
      Severity.CRITICAL,
      "Workers cannot settle, and may lose their leases. See their log.",
      Map.of(),
      new Input(
          "rota_settle_seconds_count{outcome=\"failed\",instance=\"a\"}", "0+60x240", "3x240")),
  ENQUEUES_FAIL(
      new Rule(
          "RotaEnqueuesFail",
          "sum(increase(rota_enqueue_seconds_count{outcome=\"failed\"}[5m])) > 0",
          5),
      Severity.WARNING,
      "Producers cannot enqueue. See their log.",
      Map.of(),
      new Input(
          "rota_enqueue_seconds_count{path=\"bulk\",outcome=\"failed\"}", "0+1x240", "3x240")),
  ROTATION_POSTPONED(
      new Rule(
          "RotaRotationPostponed",
          "sum(increase(rota_rotations_total{outcome=\"postponed\"}[3h]))"
              + " > sum(increase(rota_rotations_total{outcome=\"switched\"}[3h]))",
          10),
      Severity.WARNING,
      "More rotations are put off than made. `rota status` names the reason.",
      Map.of(),
      new Input("rota_rotations_total{outcome=\"postponed\"}", "0+1x240", "0+1x240"),
      new Input("rota_rotations_total{outcome=\"switched\"}", "8x240", "0+9x240")),
  ARCHIVE_FAILS(
      new Rule("RotaArchiveFails", "sum(increase(rota_archive_failures_total[30m])) > 3", 10),
      Severity.WARNING,
      "Segments cannot be archived, and stay in the database. `rota status` names the reason.",
      Map.of(),
      new Input("rota_archive_failures_total{instance=\"a\"}", "0+1x240", "2x240")),
  HANDLERS_BUSY(
      new Rule(
          "RotaHandlersBusy",
          "sum(rota_worker_slots{state=\"busy\"}) / sum(rota_worker_slots) > 0.9"
              + " and sum(rota_tasks_held{state=\"queued\"}) > 0",
          15),
      Severity.WARNING,
      "Nearly all handlers run, and tasks wait for one. Add workers, or handlers to them.",
      Map.of(),
      new Input("rota_worker_slots{state=\"busy\"}", "16x240", "3x240"),
      new Input("rota_worker_slots{state=\"free\"}", "0x240", "13x240"),
      new Input("rota_tasks_held{state=\"queued\"}", "500x240", "500x240"));

  /** How urgent an alert is. */
  enum Severity {
    WARNING,
    CRITICAL
  }

  /**
   * A rule.
   *
   * @param name its name
   * @param expression what is true while it fires
   * @param minutes for how long that must be so
   */
  record Rule(String name, String expression, int minutes) {}

  /**
   * A series of a test, with a value for each minute.
   *
   * @param series its name and labels
   * @param firing values with which the alert fires
   * @param quiet values with which it does not
   */
  record Input(String series, String firing, String quiet) {}

  private final Rule rule;
  private final Severity severity;
  private final String summary;
  private final Map<String, String> labels;
  private final List<Input> inputs;

  AlertRule(
      Rule rule, Severity severity, String summary, Map<String, String> labels, Input... inputs) {
    this.rule = rule;
    this.severity = severity;
    this.summary = summary;
    this.labels = labels;
    this.inputs = List.of(inputs);
  }

  Rule rule() {
    return rule;
  }

  Severity severity() {
    return severity;
  }

  String summary() {
    return summary;
  }

  /** The labels of the alert in the test, besides the severity. */
  Map<String, String> labels() {
    return labels;
  }

  List<Input> inputs() {
    return inputs;
  }
}
