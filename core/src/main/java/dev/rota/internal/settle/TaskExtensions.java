package dev.rota.internal.settle;

import dev.rota.NewTask;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.KeyedAdmission;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedBatch.SettleReport;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.TaskExtension.EndedTask;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The extensions of one kernel, called one after the other, always in one order. Thread-safe. */
public final class TaskExtensions implements KeyedAdmission {

  private final TenantRegistry registry;
  private final List<TaskExtension> extensions;
  private final TaskExtension ofKeys;

  /**
   * Creates the extensions of one kernel.
   *
   * @param extensions in the order of their calls; one of them takes keys
   */
  public TaskExtensions(TenantRegistry registry, List<TaskExtension> extensions) {
    this.registry = registry;
    this.extensions = extensions;
    this.ofKeys = extensions.stream().filter(TaskExtension::takesKeys).findFirst().orElseThrow();
  }

  @Override
  public void prepareKeys(TenantRef tenant) {
    ofKeys.prepare(tenant);
  }

  @Override
  public long[] admitKeyed(Session session, TenantRef tenant, List<NewTask> tasks, long[] ids)
      throws SQLException {
    return ofKeys.admit(session, tenant, tasks, ids);
  }

  /**
   * The marks that tasks of a tenant can have: other programs may insert tasks with marks whose
   * tables are missing.
   *
   * @param keys whether tasks may have keys
   * @param traits the flags that they may have
   * @param traitsOfKeys the flags that only tasks with keys have
   */
  public record KnownMarks(boolean keys, int traits, int traitsOfKeys) {

    public boolean allow(ClaimedTask task) {
      return allow(task.key(), task.traits());
    }

    public boolean allow(EndedTask ending) {
      return allow(ending.key(), ending.traits());
    }

    private boolean allow(@Nullable String key, int bits) {
      if ((bits & ~traits) != 0) {
        return false;
      }
      return key == null ? (bits & traitsOfKeys) == 0 : keys && TaskValidator.isKey(key);
    }
  }

  /** Checks only for tables that a key, or one of these flags, would need. */
  public KnownMarks known(Session session, TenantRef tenant, boolean keyed, int traits)
      throws SQLException {
    boolean keys = false;
    int known = 0;
    for (TaskExtension extension : extensions) {
      boolean concerned = (keyed && extension.takesKeys()) || (traits & extension.traits()) != 0;
      if (concerned && extension.hasTables(session, tenant)) {
        keys |= extension.takesKeys();
        known |= extension.traits();
      }
    }
    return new KnownMarks(keys, known, ofKeys.traits());
  }

  /** Checks for the tables of all marks. */
  public KnownMarks known(Session session, TenantRef tenant) throws SQLException {
    return known(session, tenant, true, -1);
  }

  /**
   * Lets extensions change tasks that were just claimed.
   *
   * @param traits the flags of all of them; without any, no extension is called
   */
  public List<ClaimedTask> claimed(
      Session session, TenantRef tenant, int segment, List<ClaimedTask> tasks, int traits)
      throws SQLException {
    List<ClaimedTask> present = tasks;
    for (TaskExtension extension : extensions) {
      if ((extension.traits() & traits) != 0) {
        present = extension.claimed(session, tenant, segment, present);
      }
    }
    return present;
  }

  /** Whether an extension has a cancel request for a task of a batch of this worker. */
  public boolean isAskedToEnd(long worker, long batch, long task) {
    for (TaskExtension extension : extensions) {
      if (extension.isAskedToEnd(worker, batch, task)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Lets extensions replace outcomes of locked batches; if several do, the first wins.
   *
   * @param settled records the replacements
   * @return the settlements to write
   */
  List<Settlement> settling(Session session, List<Settlement> settlements, SettleReport settled)
      throws SQLException {
    for (TaskExtension extension : extensions) {
      settled.replace(extension.settling(session, settlements));
    }
    return settled.written(settlements);
  }

  /** Returns the hooks that end tasks of a closed batch that returns to the ring; usually none. */
  List<TaskExtension.Returning> returning(Session session, TenantRef tenant, BatchLocation batch)
      throws SQLException {
    List<TaskExtension.Returning> all = new ArrayList<>();
    for (TaskExtension extension : extensions) {
      TaskExtension.Returning returning = extension.returning(session, tenant, batch);
      if (returning != null) {
        all.add(returning);
      }
    }
    return all;
  }

  /** Calls extensions for tasks that end in this transaction, tenant by tenant. */
  public void ended(Session session, EndedTasks endings) throws SQLException {
    for (Map.Entry<Integer, List<EndedTask>> entry : endings.byTenant().entrySet()) {
      TenantRef tenant = registry.get(session, entry.getKey());
      List<EndedTask> ended = withTables(session, tenant, entry.getValue());
      for (TaskExtension extension : extensions) {
        extension.ended(session, tenant, ended);
      }
    }
  }

  /** Those of these ends whose marks the tenant has the tables for, by ascending id. */
  private List<EndedTask> withTables(Session session, TenantRef tenant, List<EndedTask> ended)
      throws SQLException {
    boolean keyed = ended.stream().anyMatch(ending -> ending.key() != null);
    int traits = ended.stream().mapToInt(EndedTask::traits).reduce(0, (a, b) -> a | b);
    KnownMarks known = known(session, tenant, keyed, traits);
    return ended.stream()
        .filter(known::allow)
        .sorted(Comparator.comparingLong(EndedTask::id))
        .toList();
  }

  /**
   * The marked tasks that end in one transaction, for {@link TaskExtensions}. Tasks without marks
   * are not collected, so that they cost nothing. Used by one thread.
   */
  public static final class EndedTasks {

    // All transactions use one order, or two of them could wait for each other.
    private final Map<Integer, List<EndedTask>> byTenant = new TreeMap<>();

    /** Adds the outcomes of a batch that end marked tasks for good. */
    EndedTasks add(List<Outcome> outcomes) {
      for (Outcome outcome : outcomes) {
        if (outcome.task().isMarked() && outcome.isFinal()) {
          add(outcome.task(), outcome.state());
        }
      }
      return this;
    }

    /** Adds the marked tasks among those that count as done from their claim on. */
    public EndedTasks addDone(List<ClaimedTask> tasks) {
      for (ClaimedTask task : tasks) {
        if (task.isMarked()) {
          add(task, AttemptStateCode.DONE);
        }
      }
      return this;
    }

    private void add(ClaimedTask task, AttemptStateCode state) {
      add(
          task.handle(),
          new EndedTask(task.id(), task.key(), task.traits(), state, task.attachment()));
    }

    public EndedTasks add(TenantRef tenant, EndedTask ending) {
      byTenant.computeIfAbsent(tenant.number(), unused -> new ArrayList<>()).add(ending);
      return this;
    }

    /** The tasks by ascending number of the tenant. */
    Map<Integer, List<EndedTask>> byTenant() {
      return byTenant;
    }
  }
}
