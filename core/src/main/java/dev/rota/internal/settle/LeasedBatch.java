package dev.rota.internal.settle;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.Task;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.Database;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.text.ErrorText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A batch that a user has claimed. Subclasses add the operations of features. */
public abstract class LeasedBatch implements Batch {

  private final ClaimedBatch batch;
  private final Settler settler;
  private final HandBack handBack;
  private final DaemonWatch daemonWatch;
  private final RotaConfig.TaskOptions settings;
  private final Set<Task> own;
  // By task and not by id, of which another program may have inserted duplicates.
  private final Map<ClaimedTask, Outcome> outcomes = new LinkedHashMap<>();
  private final long claimedAt = System.nanoTime();
  private @Nullable SettleResult result;
  private boolean closed;

  public LeasedBatch(
      ClaimedBatch batch,
      Settler settler,
      HandBack handBack,
      DaemonWatch daemonWatch,
      RotaConfig.TaskOptions settings) {
    this.batch = batch;
    this.settler = settler;
    this.handBack = handBack;
    this.daemonWatch = daemonWatch;
    this.settings = settings;
    this.own = new HashSet<>(batch.tasks());
  }

  /** Hands back batches that were not settled. */
  public record HandBack(
      Database database, BatchRecovery batchRecovery, ProcessLease lease, Doorbell doorbell) {

    private void run(ClaimedBatch batch) {
      try {
        database.transaction(
            "hand back batch " + batch.id() + " of " + batch.tenant().label(),
            session -> batchRecovery.release(session, batch.row()));
      } finally {
        // If it is still open, the lease finds it in the ledger, and returns its tasks.
        lease.drop(batch.id());
      }
      doorbell.ring(batch.tenant().number());
    }
  }

  @Override
  public long id() {
    return batch.tasks().isEmpty() ? 0 : batch.id();
  }

  @Override
  public List<Task> tasks() {
    return List.copyOf(batch.tasks());
  }

  @Override
  public Iterator<Task> iterator() {
    return tasks().iterator();
  }

  @Override
  public void fail(Task task, Throwable error) {
    daemonWatch.begin();
    String frames = ErrorText.frames(error, settings.stackFrames());
    report(Outcome.failed(own(task), error, frames, settings.retry()));
  }

  @Override
  public void fail(Task task, String error, Duration pause) {
    if (pause.isNegative()) {
      throw new IllegalArgumentException(
          "pause is " + pause + " for " + task + "; use zero or more");
    }
    daemonWatch.begin();
    report(Outcome.retried(own(task), error, pause));
  }

  @Override
  public void dead(Task task, String error) {
    report(Outcome.dead(own(task), error));
  }

  @Override
  public void release(Task task) {
    report(Outcome.released(own(task)));
  }

  @Override
  public synchronized SettleResult settle() {
    if (result == null) {
      ensureNotClosed();
      result = write();
    }
    return result;
  }

  @Override
  public synchronized void close() {
    if (result == null && !closed && !batch.tasks().isEmpty()) {
      handBack.run(batch);
    }
    closed = true;
  }

  private SettleResult write() {
    int tasks = batch.tasks().size();
    if (tasks == 0) {
      return new SettleResult(0, 0);
    }
    long ran = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - claimedAt);
    Settlement settlement = new Settlement(batch, reported(), true, ran);
    boolean owned = settler.settle(List.of(settlement)).owned().contains(batch.id());
    return owned ? new SettleResult(tasks, 0) : new SettleResult(0, tasks);
  }

  /** The reported outcomes, and an outcome "done" for marked tasks without a report. */
  private List<Outcome> reported() {
    List<Outcome> all = new ArrayList<>(outcomes.values());
    for (ClaimedTask task : batch.tasks()) {
      if (task.isMarked() && !outcomes.containsKey(task)) {
        all.add(Outcome.done(task));
      }
    }
    return all;
  }

  /** Records the outcome of a task, which is written when the batch is settled. */
  public final synchronized void report(Outcome outcome) {
    if (result != null) {
      throw new IllegalStateException(
          "batch " + id() + " was settled already; report outcomes before");
    }
    ensureNotClosed();
    outcomes.put(outcome.task(), outcome);
  }

  private void ensureNotClosed() {
    if (closed) {
      throw new IllegalStateException(
          "batch " + id() + " was closed, its tasks are back in the ring; claim again");
    }
  }

  /** Casts the task, which must be one of this batch. */
  public final ClaimedTask own(Task task) {
    if (task instanceof ClaimedTask claimed && own.contains(claimed)) {
      return claimed;
    }
    throw new IllegalArgumentException(task + " is not a task of batch " + id());
  }
}
