package dev.rota.internal.key;

import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.db.Session;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the newest payloads of claimed tasks with a version. It writes payloads that came after
 * their enqueue into their rows of history, in the transaction of the claim.
 */
final class VersionLookup {

  private static final Sql REPLACE_PAYLOADS = Sql.named("replace_payloads");
  private static final Sql START_VERSIONS = Sql.named("start_versions");

  private VersionLookup() {}

  /**
   * The run of a task with a version, as found by its claim.
   *
   * @param number counts the runs of the key
   * @param version the newest version at that moment
   */
  record VersionedRun(long number, long version) implements ClaimedTask.Attachment {}

  private record Newest(long task, VersionedRun run, @Nullable String payload) {
    static Newest read(ResultSet row) throws SQLException {
      return new Newest(
          row.getLong(1), new VersionedRun(row.getLong(2), row.getLong(3)), row.getString(4));
    }
  }

  private record Moved(long task, RowId place) {}

  /** Returns the tasks of one tenant and segment with their newest payloads, in their order. */
  static List<ClaimedTask> lookUp(
      Session session, TenantRef tenant, int segment, List<ClaimedTask> tasks) throws SQLException {
    List<ClaimedTask> versioned =
        tasks.stream().filter(task -> (task.traits() & TaskFlags.VERSIONED) != 0).toList();
    if (versioned.isEmpty()) {
      return tasks;
    }
    Map<Long, ClaimedTask> changed = new HashMap<>();
    List<ClaimedTask> replaced = new ArrayList<>();
    Map<Long, Newest> newest = newest(session, tenant, versioned);
    for (ClaimedTask task : versioned) {
      Newest found = newest.get(task.id());
      if (found != null) {
        ClaimedTask running = task.with(found.run(), found.payload());
        changed.put(task.id(), running);
        if (found.payload() != null) {
          replaced.add(running);
        }
      }
    }
    for (Moved moved : replace(session, tenant, segment, replaced)) {
      changed.computeIfPresent(moved.task(), (id, task) -> task.at(moved.place()));
    }
    return tasks.stream().map(task -> changed.getOrDefault(task.id(), task)).toList();
  }

  private static Map<Long, Newest> newest(
      Session session, TenantRef tenant, List<ClaimedTask> versioned) throws SQLException {
    String[] keys = versioned.stream().map(ClaimedTask::key).toArray(String[]::new);
    Map<Long, Newest> found = new HashMap<>();
    for (Newest row :
        session.run(
            BoundStatement.query(
                START_VERSIONS.call(),
                tenant.statements().of(START_VERSIONS),
                Newest::read,
                (Object) keys))) {
      found.put(row.task(), row);
    }
    return found;
  }

  private static List<Moved> replace(
      Session session, TenantRef tenant, int segment, List<ClaimedTask> replaced)
      throws SQLException {
    if (replaced.isEmpty()) {
      return List.of();
    }
    List<Moved> moved =
        session.run(
            BoundStatement.query(
                REPLACE_PAYLOADS.call(),
                REPLACE_PAYLOADS.on("segment", tenant.tables().segment(segment)),
                row -> new Moved(row.getLong(1), RowId.parse(row.getString(2))),
                replaced.stream().map(task -> task.place().toString()).toArray(String[]::new),
                replaced.stream().mapToLong(ClaimedTask::id).toArray(),
                replaced.stream().map(ClaimedTask::stored).toArray(String[]::new)));
    if (moved.size() != replaced.size()) {
      throw unwritten(tenant, replaced, moved.size());
    }
    return moved;
  }

  /**
   * The exception for payloads that were not written. The rows were inserted by this transaction,
   * whose lock keeps them at their locations.
   */
  private static RotaException unwritten(
      TenantRef tenant, List<ClaimedTask> replaced, int written) {
    return new RotaException(
        ("claim from %s: newer payloads of %d tasks of batch %d were to be written into history, and"
                + " %d were; nothing is claimed. Look for triggers and rules on the tenant's tables")
            .formatted(tenant.label(), replaced.size(), replaced.get(0).batch(), written));
  }
}
