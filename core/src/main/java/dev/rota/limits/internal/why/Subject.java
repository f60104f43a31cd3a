package dev.rota.limits.internal.why;

import dev.rota.internal.claim.TaskRules;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a caller asks about. Immutable.
 *
 * @param tenant the tenant
 * @param kind the kind; null for all kinds
 * @param backlog its tasks
 * @param workers the processes that hold a lease, the latest heartbeats first
 */
public record Subject(
    TenantRow tenant, @Nullable String kind, Backlog backlog, List<WorkerRow> workers) {

  /** The rules that include pools. */
  private static final int POOLS_OBEYED = 2;

  /** Whether a reason for this kind, or for every kind if null, holds all that was asked. */
  public boolean isWhole(@Nullable String ofKind) {
    return ofKind == null || ofKind.equals(kind);
  }

  /**
   * Whether it has pending tasks of a kind, was asked about them, or may have any kind as its tasks
   * could not be counted.
   */
  public boolean mayHave(String ofKind) {
    return ofKind.equals(kind)
        || backlog.kinds.containsKey(ofKind)
        || (backlog.kinds.isEmpty() && !backlog.exact);
  }

  /** The workers whose lease is not over. */
  public List<WorkerRow> live() {
    return workers.stream().filter(WorkerRow::alive).toList();
  }

  /** Whether tasks of this kind, or of every kind if null, were asked about. */
  public boolean asks(@Nullable String ofKind) {
    return ofKind == null || kind == null || ofKind.equals(kind);
  }

  /**
   * A tenant as the registry has it.
   *
   * @param number its number
   * @param name its name
   * @param plan its plan
   * @param state what it can do
   */
  public record TenantRow(int number, String name, String plan, State state) {}

  /**
   * What a tenant can do.
   *
   * @param erasing since when it is being erased; null if it is not
   */
  record State(boolean closed, boolean importing, boolean parked, @Nullable Instant erasing) {}

  /**
   * The tasks that were asked about.
   *
   * @param kinds the pending ones that were counted, by kind
   * @param pending how many are in rings; an estimate or at least so many unless it is exact
   * @param exact whether all were counted
   * @param delayed those in the wait table
   * @param others those that are in neither
   */
  record Backlog(
      Map<String, Pending> kinds, long pending, boolean exact, Delayed delayed, Others others) {

    /** How long the oldest pending task that was counted is there. */
    Optional<Duration> oldest() {
      return kinds.values().stream().map(Pending::oldest).max(Duration::compareTo);
    }
  }

  /** The pending tasks of a kind. */
  record Pending(long tasks, Duration oldest) {}

  /**
   * The tasks in the wait table, counted up to a bound.
   *
   * @param due those whose time has come
   * @param retries those that ran before
   * @param next when the next one is due; null without one
   */
  record Delayed(long tasks, long due, long retries, @Nullable Instant next) {}

  /**
   * Tasks that are neither pending nor delayed.
   *
   * @param running those in open batches, of all kinds
   * @param blocked those that wait for prerequisites
   * @param keys the keys that are taken
   * @param keysOfEnded those of them whose tasks have ended
   */
  record Others(long running, long blocked, long keys, long keysOfEnded) {}

  /**
   * A process that holds a lease.
   *
   * @param alive whether its lease is not over
   * @param silentSeconds the age of its heartbeat
   * @param service what its workers do
   */
  public record WorkerRow(String host, boolean alive, double silentSeconds, Service service) {}

  /**
   * What the workers of a process do, as it told.
   *
   * @param rules which rules they obey: 0 for none, 1 for those without pools, 2 for all
   * @param pools the pools that they serve; null for the default one alone
   * @param kinds the kinds that they handle; null if they did not tell
   */
  public record Service(int rules, @Nullable List<String> pools, @Nullable List<String> kinds) {

    /** Reads them from three columns of a row, from this one on. */
    public static Service read(ResultSet row, int first) throws SQLException {
      return new Service(row.getInt(first), texts(row, first + 1), texts(row, first + 2));
    }

    private static @Nullable List<String> texts(ResultSet row, int column) throws SQLException {
      Array array = row.getArray(column);
      return array == null ? null : List.of((String[]) array.getArray());
    }

    /** Whether they serve a pool. Those that do not know pools serve each. */
    public boolean serves(String pool) {
      return rules < POOLS_OBEYED
          || (pools == null ? pool.equals(TaskRules.STANDARD_POOL) : pools.contains(pool));
    }
  }
}
