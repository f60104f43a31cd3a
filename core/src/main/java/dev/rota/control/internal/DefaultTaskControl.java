package dev.rota.control.internal;

import dev.rota.Attempt;
import dev.rota.control.ProgressListener;
import dev.rota.control.Redrive;
import dev.rota.control.Replay;
import dev.rota.control.ReplayResult;
import dev.rota.control.TaskControl;
import dev.rota.control.TaskFilter;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Default implementation of {@link TaskControl}; delegates each operation to its class. */
public final class DefaultTaskControl implements TaskControl {

  private final Cancellers cancellers;
  private final Supplier<PriorityChanger> priorities;
  private final Supplier<LongRunningTasks> longRunning;
  private final Supplier<Redriver> redriver;
  private final Supplier<Replayer> replayer;

  /**
   * The classes that cancel tasks.
   *
   * @param pending cancels tasks that are waiting or pending
   * @param running requests running tasks to end
   */
  public record Cancellers(Supplier<PendingCanceller> pending, Supplier<CancelRequester> running) {}

  /**
   * Creates the control. Each supplier fetches the tenant at each use, so that the registry can
   * notice that it may be stale.
   */
  public DefaultTaskControl(
      Cancellers cancellers,
      Supplier<PriorityChanger> priorities,
      Supplier<LongRunningTasks> longRunning,
      Supplier<Redriver> redriver,
      Supplier<Replayer> replayer) {
    this.cancellers = cancellers;
    this.priorities = priorities;
    this.longRunning = longRunning;
    this.redriver = redriver;
    this.replayer = replayer;
  }

  @Override
  public long cancel(TaskFilter which, String reason, ProgressListener progress) {
    return cancellers.pending().get().cancel(which, reason, new TaskSteps(progress));
  }

  @Override
  public long count(TaskFilter which, ProgressListener progress) {
    return cancellers.pending().get().count(which, new TaskSteps(progress));
  }

  @Override
  public long requestCancel(TaskFilter which, String reason) {
    return cancellers.running().get().cancel(which, reason);
  }

  @Override
  public long changePriority(TaskFilter which, int priority, ProgressListener progress) {
    return priorities.get().change(which, priority, new TaskSteps(progress));
  }

  @Override
  public List<Attempt> longRunning(Duration longerThan) {
    return longRunning.get().list(longerThan);
  }

  @Override
  public long requeueRunning(Duration longerThan) {
    return longRunning.get().giveBack(longerThan);
  }

  @Override
  public long redrive(Redrive what, ProgressListener progress) {
    return redriver.get().redrive(what, new TaskSteps(progress));
  }

  @Override
  public ReplayResult replay(Replay replay, ProgressListener progress) {
    return replayer.get().replay(replay, new TaskSteps(progress));
  }
}
