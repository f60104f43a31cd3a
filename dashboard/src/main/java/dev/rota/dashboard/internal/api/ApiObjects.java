package dev.rota.dashboard.internal.api;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditState;
import dev.rota.dashboard.internal.action.Action;
import dev.rota.graph.GraphNode;
import dev.rota.graph.GraphProgress;
import dev.rota.history.HourlyStatistics;
import dev.rota.history.RecentAttempts;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.KindActivity;
import dev.rota.insight.RunningBatch;
import dev.rota.insight.ScheduleEntry;
import dev.rota.insight.TenantErrors;
import dev.rota.insight.UnhandledKind;
import dev.rota.insight.WorkerActivity;
import dev.rota.limits.Rule;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.ScheduleInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Objects of the API that are not those of insight. Numbers of 64 random bits are texts, since
 * programs in JavaScript would round them.
 */
final class ApiObjects {

  private ApiObjects() {}

  record Kinds(int hours, List<KindEntry> kinds) {}

  record KindEntry(String kind, HourlyStatistics.Ended ended, Spread running, Spread waiting) {
    static KindEntry of(KindActivity kind) {
      return new KindEntry(
          kind.kind(), kind.ended(), Spread.of(kind.running()), Spread.of(kind.waiting()));
    }
  }

  record UnhandledKinds(List<UnhandledKind> kinds) {}

  /** How long something took; quantiles are the upper bounds of their buckets. */
  record Spread(
      long count, Optional<Duration> p50, Optional<Duration> p95, Optional<Duration> p99) {
    static Spread of(HourlyStatistics.Times times) {
      return new Spread(
          times.count(), times.quantile(0.5), times.quantile(0.95), times.quantile(0.99));
    }
  }

  record Running(List<BatchEntry> batches) {}

  record BatchEntry(long batch, String tenant, String worker, int tasks, Duration age) {
    static BatchEntry of(RunningBatch batch) {
      return new BatchEntry(
          batch.batch(), batch.tenant(), Long.toString(batch.worker()), batch.tasks(), batch.age());
    }
  }

  record Workers(List<WorkerEntry> workers) {}

  record WorkerEntry(
      String id,
      String host,
      WorkerActivity.Heartbeat heartbeat,
      WorkerActivity.Holds holds,
      WorkerActivity.Serves serves) {
    static WorkerEntry of(WorkerActivity worker) {
      return new WorkerEntry(
          Long.toString(worker.id()),
          worker.host(),
          worker.heartbeat(),
          worker.holds(),
          worker.serves());
    }
  }

  record Errors(int hours, List<Failure> errors) {}

  record Failure(
      String fingerprint,
      String kind,
      String error,
      ErrorActivity.Attempts attempts,
      ErrorActivity.Last last) {
    static Failure of(ErrorActivity error) {
      return new Failure(
          Long.toString(error.fingerprint()),
          error.kind(),
          error.error(),
          error.attempts(),
          error.last());
    }
  }

  record ErrorTenants(String fingerprint, List<TenantErrors> tenants) {}

  record Schedules(List<ScheduleState> schedules) {}

  record ScheduleState(String tenant, String name, String kind, Timing timing, ScheduleRuns runs) {
    static ScheduleState of(ScheduleEntry entry) {
      Schedule schedule = entry.schedule().schedule();
      return new ScheduleState(
          entry.tenant(),
          schedule.name(),
          schedule.task().kind(),
          new Timing(schedule.cron(), schedule.period(), schedule.zone()),
          ScheduleRuns.of(entry.schedule()));
    }
  }

  record Timing(Optional<String> cron, Optional<Duration> period, String zone) {}

  record ScheduleRuns(
      boolean paused, Optional<Instant> nextAt, Optional<ScheduleInfo.Run> last, long skipped) {
    static ScheduleRuns of(ScheduleInfo info) {
      return new ScheduleRuns(info.paused(), info.nextRunAt(), info.lastRun(), info.skipped());
    }
  }

  record Rules(List<ScopeRule> rules) {}

  record ScopeRule(String scope, String limits, Optional<Rule.Pause> pause) {
    static ScopeRule of(Rule rule) {
      return new ScopeRule(rule.scope().toString(), rule.limits().toString(), rule.pause());
    }
  }

  record Attempts(
      List<AttemptEntry> attempts, Optional<String> next, RecentAttempts.Looked looked) {}

  record AttemptEntry(
      Subject task, int number, TaskState state, AttemptTimes times, Optional<Cause> error) {
    static AttemptEntry of(Attempt attempt, Optional<String> payload) {
      return new AttemptEntry(
          new Subject(
              attempt.taskId(),
              attempt.kind(),
              attempt.key(),
              attempt.priority(),
              payload.map(text -> new Content(text, attempt.headers()))),
          attempt.number(),
          attempt.state(),
          new AttemptTimes(
              attempt.createdAt(), attempt.runAt(), attempt.claimedAt(), attempt.finishedAt()),
          attempt.error().map(text -> new Cause(text, attempt.stack())));
    }
  }

  /** The task of an attempt; its content is for viewers who may see payloads. */
  record Subject(
      long id, String kind, Optional<String> key, int priority, Optional<Content> content) {}

  record Content(String payload, Map<String, String> headers) {}

  record AttemptTimes(
      Instant enqueuedAt,
      Optional<Instant> runAt,
      Optional<Instant> claimedAt,
      Optional<Instant> finishedAt) {}

  record Cause(String text, Optional<String> stack) {}

  record GraphList(List<GraphProgress> graphs) {}

  record GraphDetail(GraphProgress graph, List<GraphNode> tasks) {}

  record Audit(List<AuditRow> entries) {}

  record AuditRow(long id, Begin begin, Progress progress) {
    static AuditRow of(AuditEntry entry) {
      AuditEntry.Result result = entry.result();
      return new AuditRow(
          entry.id(),
          new Begin(
              entry.times().begunAt(),
              entry.action().actor(),
              entry.action().action(),
              entry.action().tenant(),
              entry.action().about()),
          new Progress(
              result.state(),
              result.tasks(),
              entry.times().endedAt(),
              entry.isInterrupted(),
              result.detail()));
    }
  }

  record Begin(Instant at, String actor, String action, Optional<String> tenant, String about) {}

  record Progress(
      AuditState state,
      long tasks,
      Optional<Instant> endedAt,
      boolean interrupted,
      String detail) {}

  /** What an action would do. */
  record Preview(Optional<String> tenant, String about, String effect, OptionalLong counted) {
    static Preview of(Action.Plan plan) {
      return new Preview(plan.tenant(), plan.about(), plan.effect(), plan.counted().tasks());
    }
  }

  /** An action that has begun; its number is that of its entry in the audit. */
  record Begun(long id) {}

  /** Why a request was not served, as RFC 9457 has it. */
  record Problem(int status, String title, String detail) {}
}
