package dev.rota.crash.campaign.audit;

import static dev.rota.crash.campaign.audit.CampaignAccounts.ACKNOWLEDGED;
import static dev.rota.crash.campaign.audit.CampaignAccounts.ENDED;
import static dev.rota.crash.campaign.audit.CampaignAccounts.FAILED;
import static dev.rota.crash.campaign.audit.CampaignAccounts.INVOKED;
import static dev.rota.crash.campaign.audit.CampaignAccounts.IN_CALLERS_TRANSACTION;
import static dev.rota.crash.campaign.audit.CampaignAccounts.ORDERED;
import static dev.rota.crash.campaign.audit.CampaignAccounts.RUNNING;
import static dev.rota.crash.campaign.audit.CampaignAccounts.SUCCEEDED;
import static dev.rota.crash.campaign.audit.CampaignAccounts.SUSPECT;
import static dev.rota.crash.campaign.audit.CampaignAccounts.UNKNOWN;

import dev.rota.DeliveryMode;
import dev.rota.TaskState;
import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.accounts.LogLines;
import dev.rota.crash.campaign.audit.CampaignVerdict.Charge;
import dev.rota.crash.campaign.audit.CampaignVerdict.Count;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the accounts of producers and handlers with the contents of the database. The order of
 * the calls is that of the methods here. Not thread-safe.
 */
public final class CampaignAudit {

  private final boolean leased;
  private final Disturbances disturbances;
  private final CampaignAccounts accounts = new CampaignAccounts();
  private final Map<String, Path> runLogs = new LinkedHashMap<>();
  private final CampaignVerdict verdict = new CampaignVerdict();
  private final RerunExplanations explanations;
  private final List<LostPast> lostPasts;
  private long fenced;
  private long heardAt;
  private long acknowledgedInVain;

  public CampaignAudit(DeliveryMode mode, Disturbances disturbances) {
    this(mode, disturbances, List.of());
  }

  /**
   * Creates the audit of one history of several.
   *
   * @param lostPasts the periods that are not part of it
   */
  public CampaignAudit(DeliveryMode mode, Disturbances disturbances, List<LostPast> lostPasts) {
    this.lostPasts = lostPasts;
    this.leased = mode == DeliveryMode.LEASED;
    this.disturbances = disturbances;
    this.explanations = new RerunExplanations(disturbances, lostPasts);
  }

  /** Reads the intentions and outcomes of a producer. */
  public void producer(Path log) throws IOException {
    LogLines.read(log, this::producerLine);
  }

  private void producerLine(String[] words) {
    if (words[0].equals("t")) {
      heardAt = Long.parseLong(words[1]);
      return;
    }
    long first = Long.parseLong(words[1]);
    int count = words[0].equals("o") ? words.length - 2 : Integer.parseInt(words[2]);
    for (int i = 0; i < count; i++) {
      long mark = first + i;
      switch (words[0]) {
        case "i" -> invoked(mark, words[3]);
        case "o" -> acknowledged(mark, Long.parseLong(words[2 + i]));
        case "f" -> accounts.set(mark, FAILED);
        case "u" -> accounts.set(mark, UNKNOWN);
        default -> throw new IllegalArgumentException(String.join(" ", words));
      }
    }
  }

  /**
   * Records an enqueue. A repeated one is in progress again: its earlier failure no longer counts.
   */
  private void invoked(long mark, String way) {
    accounts.clear(mark, FAILED);
    accounts.set(mark, INVOKED);
    if (EnqueueMode.valueOf(way) == EnqueueMode.IN_CALLERS_TRANSACTION) {
      accounts.set(mark, IN_CALLERS_TRANSACTION);
    }
  }

  /** Records an acknowledgement. The task of a lost server may exist or not. */
  private void acknowledged(long mark, long task) {
    if (isOfLostPast(heardAt)) {
      acknowledgedInVain++;
      accounts.set(mark, UNKNOWN);
      return;
    }
    accounts.set(mark, ACKNOWLEDGED);
    checkTask(mark, task);
  }

  /** Reads the runs of a process's handlers. */
  public void runs(String process, Path log) throws IOException {
    runLogs.put(process, log);
    long[] awake = new long[1];
    LogLines.read(
        log,
        words -> {
          switch (words[0]) {
            case "p" -> awake[0] = pulse(process, awake[0], Long.parseLong(words[1]));
            case "x" -> fenced += Long.parseLong(words[2]);
            default -> ran(words);
          }
        });
  }

  private long pulse(String process, long before, long now) {
    if (before != 0) {
      disturbances.pause(process, before, now);
    }
    return now;
  }

  private void ran(String[] words) {
    long mark = Long.parseLong(words[2]);
    checkExpected(mark, String.join(" ", words));
    if (!isOfLostPast(Long.parseLong(words[1]))) {
      checkTask(mark, Long.parseLong(words[3]));
    }
    if (leased) {
      ranLeased(words[0], mark, Integer.parseInt(words[4]));
    }
  }

  private boolean isOfLostPast(long time) {
    return lostPasts.stream().anyMatch(past -> past.has(time));
  }

  private void checkExpected(long mark, String evidence) {
    int flags = accounts.flags(mark);
    if ((flags & INVOKED) == 0 || isFailed(flags)) {
      verdict.charge(Charge.UNEXPECTED, describe(mark) + " ran: " + evidence);
    }
  }

  /** Whether the task is known not to be stored, by the last try of several. */
  private static boolean isFailed(int flags) {
    return (flags & (ACKNOWLEDGED | UNKNOWN)) == 0 && (flags & FAILED) != 0;
  }

  private void ranLeased(String what, long mark, int attempt) {
    switch (what) {
      case "b" -> {
        if (accounts.has(mark, RUNNING | SUCCEEDED)) {
          accounts.set(mark, SUSPECT);
        }
        accounts.set(mark, RUNNING);
      }
      case "s" -> {
        accounts.clear(mark, RUNNING);
        accounts.set(mark, SUCCEEDED);
        accounts.bookAttempt(mark, attempt);
      }
      case "e" -> {
        accounts.clear(mark, RUNNING);
        int expected =
            CampaignTask.of(mark) == CampaignTask.END_DEAD ? 1 : CampaignTask.of(mark).failures();
        if (accounts.bookFailure(mark) > expected) {
          accounts.set(mark, SUSPECT);
        }
      }
      case "r" -> accounts.clear(mark, RUNNING);
      default -> throw new IllegalArgumentException("line " + what + " of mark " + mark);
    }
  }

  /** Checks a row that a handler wrote in the transaction of its claim. */
  void effect(long mark, long task, int attempt) {
    checkTask(mark, task);
    checkExpected(mark, "it left a row");
    if (attempt <= CampaignTask.of(mark).failures()) {
      verdict.charge(
          Charge.CONTRADICTION,
          describe(mark) + " has the effect of attempt " + attempt + ", which failed");
    }
    if (accounts.has(mark, SUCCEEDED)) {
      verdict.charge(
          Charge.DUPLICATED,
          describe(mark)
              + (" has two effects, of attempts " + accounts.attempt(mark) + " and " + attempt));
    }
    accounts.set(mark, SUCCEEDED);
    accounts.bookAttempt(mark, attempt);
  }

  /** Checks a row that a producer wrote in the transaction in which it enqueued. */
  void ordered(long mark) {
    accounts.set(mark, ORDERED);
  }

  /** Checks a row of history after everything had come to rest. */
  void history(long mark, RerunExplanations.Row row) {
    checkTask(mark, row.task());
    if (accounts.has(mark, SUSPECT)) {
      explanations.row(mark, row);
    }
    TaskState state = row.state();
    if (state == TaskState.DONE || state == TaskState.DEAD) {
      ended(mark, row.attempt(), state);
    } else if (state != TaskState.FAILED
        && state != TaskState.LOST
        && state != TaskState.RELEASED) {
      verdict.charge(Charge.CONTRADICTION, describe(mark) + " is " + state + " in history");
    }
  }

  private void ended(long mark, int attempt, TaskState state) {
    if (accounts.has(mark, ENDED)) {
      verdict.charge(Charge.CONTRADICTION, describe(mark) + " ended twice, again " + state);
    }
    accounts.set(mark, ENDED);
    verdict.count(state == TaskState.DONE ? Count.DONE : Count.DEAD);
    TaskState meant =
        CampaignTask.of(mark) == CampaignTask.END_DEAD ? TaskState.DEAD : TaskState.DONE;
    boolean sure = !accounts.has(mark, SUSPECT) && state == TaskState.DONE;
    if (state != meant || (sure && accounts.attempt(mark) != attempt)) {
      verdict.charge(
          Charge.CONTRADICTION,
          "%s is %s by attempt %d; its handler succeeded at attempt %d"
              .formatted(describe(mark), state, attempt, accounts.attempt(mark)));
    }
  }

  /** Records a task or batch that is still in a ring, in a wait table or open. */
  void pending(String what) {
    verdict.charge(Charge.PENDING, what);
  }

  /** The number of acknowledged tasks that were lost with their servers. */
  public long acknowledgedInVain() {
    return acknowledgedInVain;
  }

  /** The number of outcomes that processes dropped because their lease was lost. */
  public long fenced() {
    return fenced;
  }

  /** Ends the audit. */
  public CampaignVerdict verdict() throws IOException {
    for (Map.Entry<String, Path> log : runLogs.entrySet()) {
      LogLines.read(log.getValue(), words -> suspectRan(log.getKey(), words));
    }
    explanations.judge(verdict);
    accounts.forEach(this::judge);
    return verdict;
  }

  private void suspectRan(String process, String[] words) {
    if (words.length < 5 || !accounts.has(Long.parseLong(words[2]), SUSPECT)) {
      return;
    }
    long mark = Long.parseLong(words[2]);
    long task = Long.parseLong(words[3]);
    int attempt = Integer.parseInt(words[4]);
    switch (words[0]) {
      case "b" ->
          explanations.begun(
              mark,
              new HandlerRun(
                  process, task, attempt, Long.parseLong(words[1]), HandlerRun.End.OPEN));
      case "s" -> explanations.ended(mark, process, task, attempt, HandlerRun.End.SUCCEEDED);
      case "e" -> explanations.ended(mark, process, task, attempt, HandlerRun.End.FAILED);
      default -> explanations.ended(mark, process, task, attempt, HandlerRun.End.RELEASED);
    }
  }

  private void judge(long mark, int flags) {
    boolean acknowledged = (flags & ACKNOWLEDGED) != 0;
    boolean ended = (flags & ENDED) != 0;
    boolean ran = (flags & SUCCEEDED) != 0 || CampaignTask.of(mark) == CampaignTask.END_DEAD;
    boolean failed = isFailed(flags);
    verdict.count(Count.INVOKED);
    if (acknowledged) {
      verdict.count(Count.ACKNOWLEDGED);
    } else {
      verdict.count(failed ? Count.FAILED : Count.UNKNOWN);
    }
    if (acknowledged && !(ended && ran)) {
      verdict.charge(Charge.LOST, describe(mark));
    } else if (!acknowledged && !failed && ended) {
      verdict.count(Count.RECOVERED);
    }
    if (ended && (failed || (flags & INVOKED) == 0)) {
      verdict.charge(Charge.UNEXPECTED, describe(mark) + " is in history");
    }
    boolean ordered = (flags & ORDERED) != 0;
    if ((flags & IN_CALLERS_TRANSACTION) != 0 && ordered != ended) {
      verdict.charge(
          Charge.CONTRADICTION,
          describe(mark) + (ordered ? " lacks its task" : " lacks what came with its task"));
    }
  }

  private void checkTask(long mark, long task) {
    long known = accounts.bookTask(mark, task);
    if (known != task) {
      verdict.charge(
          Charge.DUPLICATED, describe(mark) + " is two tasks, " + known + " and " + task);
    }
  }

  private String describe(long mark) {
    int flags = accounts.flags(mark);
    StringBuilder text = new StringBuilder("mark " + mark + " (" + CampaignTask.of(mark));
    append(text, flags, INVOKED, "invoked");
    append(text, flags, IN_CALLERS_TRANSACTION, "in the caller's transaction");
    append(text, flags, ACKNOWLEDGED, "acknowledged");
    append(text, flags, FAILED, "failed");
    append(text, flags, UNKNOWN, "unknown");
    append(text, flags, SUCCEEDED, "ran");
    append(text, flags, ENDED, "ended");
    return text.append(')').toString();
  }

  private static void append(StringBuilder text, int flags, int flag, String word) {
    if ((flags & flag) != 0) {
      text.append(", ").append(word);
    }
  }
}
