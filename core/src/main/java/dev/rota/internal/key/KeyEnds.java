package dev.rota.internal.key;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.enqueue.IntoLanes;
import dev.rota.internal.key.VersionLookup.VersionedRun;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.TaskExtension.EndedTask;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Frees the keys of tasks that ended, or runs them again if a newer version came meanwhile. It
 * locks plain keys before keys with versions, as producers do, so that no deadlock can arise.
 * Thread-safe.
 */
final class KeyEnds {

  private static final Sql END_KEYS = Sql.named("end_keys");
  private static final Sql END_KEPT_KEYS = Sql.named("end_kept_keys");
  private static final Sql END_VERSIONS = Sql.named("end_versions");
  private static final Sql CANCEL_VERSIONS = Sql.named("cancel_versions");

  private final Doorbell doorbell;

  KeyEnds(Doorbell doorbell) {
    this.doorbell = doorbell;
  }

  void apply(Session session, TenantRef tenant, List<EndedTask> ended) throws SQLException {
    List<BoundStatement<Integer>> calls = new ArrayList<>();
    add(calls, tenant, END_KEPT_KEYS, select(ended, ending -> ending.has(TaskFlags.KEY_KEPT)));
    add(calls, tenant, END_KEYS, select(ended, ending -> !ending.has(TaskFlags.VERSIONED)));
    List<EndedTask> versioned = select(ended, ending -> ending.has(TaskFlags.VERSIONED));
    add(calls, tenant, CANCEL_VERSIONS, select(versioned, KeyEnds::isCancelled));
    if (!calls.isEmpty()) {
      session.runAll(calls);
    }
    endRuns(session, tenant, select(versioned, ending -> ending.attachment() != null));
  }

  /**
   * Whether the task was cancelled or set aside before it ran, so that no statement looked up its
   * version.
   */
  private static boolean isCancelled(EndedTask ending) {
    return ending.attachment() == null && ending.state() != AttemptStateCode.DONE;
  }

  private void endRuns(Session session, TenantRef tenant, List<EndedTask> runs)
      throws SQLException {
    if (runs.isEmpty()) {
      return;
    }
    session.waitBriefly();
    String[] keys = keys(runs);
    long[] ids = ids(runs);
    int again =
        session.run(
            BoundStatement.counting(
                END_VERSIONS.call(),
                END_VERSIONS.on(
                    Map.of(
                        "keys",
                        tenant.tables().keys(),
                        "insertions",
                        IntoLanes.insertions(tenant))),
                keys,
                ids,
                keys,
                ids,
                runs.stream().mapToLong(ending -> run(ending).number()).toArray(),
                runs.stream().mapToLong(ending -> run(ending).version()).toArray(),
                runs.stream().mapToInt(EndedTask::traits).toArray()));
    if (again > 0) {
      session.afterCommit(() -> doorbell.ring(tenant.number()));
    }
  }

  private static VersionedRun run(EndedTask ending) {
    return (VersionedRun) Objects.requireNonNull(ending.attachment(), "it has no version");
  }

  private static void add(
      List<BoundStatement<Integer>> calls, TenantRef tenant, Sql template, List<EndedTask> ended) {
    if (!ended.isEmpty()) {
      calls.add(
          BoundStatement.update(
              template.call(), tenant.statements().of(template), keys(ended), ids(ended)));
    }
  }

  private static List<EndedTask> select(List<EndedTask> ended, Predicate<EndedTask> which) {
    return ended.stream().filter(ending -> ending.key() != null).filter(which).toList();
  }

  private static String[] keys(List<EndedTask> ended) {
    return ended.stream().map(EndedTask::key).toArray(String[]::new);
  }

  private static long[] ids(List<EndedTask> ended) {
    return ended.stream().mapToLong(EndedTask::id).toArray();
  }
}
