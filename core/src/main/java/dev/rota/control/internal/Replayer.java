package dev.rota.control.internal;

import dev.rota.Attempt;
import dev.rota.NewTask;
import dev.rota.TaskKey;
import dev.rota.control.Replay;
import dev.rota.control.ReplayResult;
import dev.rota.history.ArchiveUse;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.history.internal.HistoryReader;
import dev.rota.history.internal.HistoryScan.Sources;
import dev.rota.internal.enqueue.Enqueuer;
import dev.rota.internal.tenant.TenantRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Enqueues tasks of a tenant's history once more, page by page. The new tasks are newer than the
 * page it reads, so that it never reads its own tasks.
 */
public final class Replayer {

  private static final int PAGE = 1_000;

  private final Sources history;
  private final Enqueuer enqueuer;
  private final TenantRef tenant;

  public Replayer(Sources history, Enqueuer enqueuer, TenantRef tenant) {
    this.history = history;
    this.enqueuer = enqueuer;
    this.tenant = tenant;
  }

  ReplayResult replay(Replay replay, TaskSteps steps) {
    if (!replay.isDryRun()) {
      tenant.refuseClosed();
    }
    ArchiveUse archive = ArchiveUse.NONE;
    HistoryReader reader = new HistoryReader(history, tenant);
    HistoryFilter filter = replay.filter().limit(PAGE);
    Optional<String> cursor = Optional.empty();
    boolean more;
    do {
      HistoryPage page = reader.page(cursor.map(filter::after).orElse(filter));
      if (!replay.isDryRun() && !page.attempts().isEmpty()) {
        enqueue(replay, page.attempts());
      }
      archive = archive.and(page.archive());
      cursor = page.nextCursor();
      more = steps.proceed(page.attempts().size()) && cursor.isPresent();
    } while (more);
    return new ReplayResult(steps.tasks(), archive);
  }

  private void enqueue(Replay replay, List<Attempt> attempts) {
    enqueuer.enqueueAll(tenant, attempts.stream().map(attempt -> again(replay, attempt)).toList());
  }

  private static NewTask again(Replay replay, Attempt attempt) {
    NewTask task =
        NewTask.of(attempt.kind(), attempt.payload())
            .withParent(attempt.taskId())
            .priority(attempt.priority())
            .withHeaders(attempt.headers());
    if (!replay.spread().isZero()) {
      task = task.after(partOf(replay.spread()));
    }
    return replay
        .name()
        .map(
            name ->
                TaskKey.keptFor(
                    "replay:" + name + ":" + attempt.taskId() + ":" + attempt.kind(),
                    Replay.REMEMBERED))
        .map(task::withKey)
        .orElse(task);
  }

  private static Duration partOf(Duration time) {
    return Duration.ofMillis((long) (ThreadLocalRandom.current().nextDouble() * time.toMillis()));
  }
}
