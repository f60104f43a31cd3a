package dev.rota.crash.campaign.audit;

import dev.rota.TaskState;
import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.accounts.Disturbances.Disturbance;
import dev.rota.crash.campaign.audit.CampaignVerdict.Charge;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Explains, run by run, the tasks that began more than once without a failure in between. */
final class RerunExplanations {

  /**
   * An attempt in history.
   *
   * @param finishedAt the time at which the attempt got that state, in milliseconds since 1970; 0
   *     if only the ledger has it
   */
  record Row(long task, int attempt, TaskState state, long finishedAt) {}

  private static final class Suspect {
    private final List<HandlerRun> runs = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();

    boolean was(HandlerRun run, TaskState state) {
      return row(run, state).isPresent();
    }

    Optional<Row> row(HandlerRun run, TaskState state) {
      return rows.stream()
          .filter(row -> run.isOf(row.task(), row.attempt()) && row.state() == state)
          .findFirst();
    }
  }

  private final Map<Long, Suspect> byMark = new HashMap<>();
  private final Disturbances disturbances;
  private final List<LostPast> lostPasts;

  RerunExplanations(Disturbances disturbances, List<LostPast> lostPasts) {
    this.disturbances = disturbances;
    this.lostPasts = lostPasts;
  }

  void begun(long mark, HandlerRun run) {
    suspect(mark).runs.add(run);
  }

  /** Records the end of the latest run of that attempt in a process. */
  void ended(long mark, String process, long task, int attempt, HandlerRun.End end) {
    List<HandlerRun> runs = suspect(mark).runs;
    for (int i = runs.size() - 1; i >= 0; i--) {
      HandlerRun run = runs.get(i);
      if (run.process().equals(process) && run.isOf(task, attempt)) {
        runs.set(i, run.ended(end));
        return;
      }
    }
  }

  /** Records an attempt in history. */
  void row(long mark, Row row) {
    suspect(mark).rows.add(row);
  }

  /** Explains each repeated run, or charges it. */
  void judge(CampaignVerdict verdict) {
    byMark.forEach(
        (mark, suspect) -> {
          suspect.runs.sort(
              Comparator.comparingInt(HandlerRun::attempt).thenComparingLong(HandlerRun::begun));
          List<HandlerRun> runs = surviving(verdict, suspect);
          for (int i = 1; i < runs.size(); i++) {
            judge(verdict, mark, suspect, runs.get(i - 1), runs.get(i));
          }
          for (Row row : suspect.rows) {
            if (row.state() == TaskState.DONE && !succeeded(suspect, row)) {
              verdict.charge(
                  Charge.CONTRADICTION, "mark " + mark + " is done without a success: " + row);
            }
          }
        });
  }

  /**
   * Returns the runs outside lost pasts: a run within one follows no other, and none follows from
   * it.
   */
  private List<HandlerRun> surviving(CampaignVerdict verdict, Suspect suspect) {
    List<HandlerRun> surviving = new ArrayList<>();
    for (HandlerRun run : suspect.runs) {
      if (lostPasts.stream().anyMatch(past -> past.has(run.begun()))) {
        verdict.explain(LostPast.CAUSE);
      } else {
        surviving.add(run);
      }
    }
    return surviving;
  }

  private static boolean succeeded(Suspect suspect, Row row) {
    return suspect.runs.stream()
        .anyMatch(
            run -> run.isOf(row.task(), row.attempt()) && run.end() == HandlerRun.End.SUCCEEDED);
  }

  private void judge(
      CampaignVerdict verdict, long mark, Suspect suspect, HandlerRun run, HandlerRun next) {
    if (isRightToRunAgain(suspect, run, next)) {
      return;
    }
    if (lostPasts.stream().anyMatch(past -> past.parts(run.begun(), next.begun()))) {
      verdict.explain(LostPast.CAUSE);
      return;
    }
    Optional<Disturbance> cause = cause(suspect, run, next);
    if (cause.isPresent()) {
      verdict.explain(cause.get().cause());
    } else {
      verdict.charge(
          Charge.DUPLICATED,
          "mark %d: %s and again %s; in history %s; meanwhile %s"
              .formatted(
                  mark,
                  run,
                  next,
                  suspect.rows,
                  meanwhile(run, next).map(Object::toString).orElse("no fault")));
    }
  }

  /**
   * Finds the cause: a task returns when its worker ends in good order, or when its worker's lease
   * has ended.
   */
  private Optional<Disturbance> cause(Suspect suspect, HandlerRun run, HandlerRun next) {
    if (run.task() != next.task()) {
      return Optional.empty();
    }
    if (suspect.was(run, TaskState.RELEASED)) {
      return meanwhile(run, next);
    }
    return suspect
        .row(run, TaskState.LOST)
        .filter(lost -> next.attempt() > run.attempt())
        .flatMap(lost -> disturbances.endedLease(run.process(), run.begun(), lost.finishedAt()));
  }

  private Optional<Disturbance> meanwhile(HandlerRun run, HandlerRun next) {
    return disturbances.within(run.process(), run.begun(), Math.max(run.begun(), next.begun()));
  }

  /**
   * Whether a rerun is right: a recorded failure is tried again, and a task that was handed back
   * does not count.
   */
  private static boolean isRightToRunAgain(Suspect suspect, HandlerRun run, HandlerRun next) {
    if (run.task() != next.task()) {
      return false;
    }
    boolean failed =
        run.end() == HandlerRun.End.FAILED
            && next.attempt() > run.attempt()
            && suspect.was(run, TaskState.FAILED);
    return failed || (run.end() == HandlerRun.End.RELEASED && suspect.was(run, TaskState.RELEASED));
  }

  private Suspect suspect(long mark) {
    return byMark.computeIfAbsent(mark, unused -> new Suspect());
  }
}
