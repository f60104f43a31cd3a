package dev.rota.graph;

import dev.rota.DatabaseException;
import dev.rota.InvalidTaskException;
import dev.rota.TaskState;
import dev.rota.TenantClosedException;
import dev.rota.history.History;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;

/**
 * Tasks of one tenant that depend on each other. Thread-safe, and safe from many processes at once.
 *
 * <p>A task of a graph becomes pending in the transaction that settles the last of its parents.
 * Until then it is in a separate table: it is neither pending nor waiting, and {@link
 * History#scanStates()} does not count it. {@link DeadParent} decides what happens to it when a
 * parent dies; a cancelled task counts as a dead parent.
 *
 * <p>A graph can be read until the daemon removes it, a day after it finished unless configured.
 * The first graph of a tenant creates its tables, which needs the role that owns the tenant's
 * schema.
 */
public interface Graphs {

  /**
   * Enqueues all tasks of a graph in one transaction.
   *
   * @param graph the graph
   * @return the ids of the graph and its tasks
   * @throws InvalidTaskException naming the index of the first task that breaks a limit
   * @throws UnknownParentException if it depends on tasks that are in no graph of this tenant
   * @throws TenantClosedException if the tenant is closed
   * @throws dev.rota.limits.QuotaExceededException if its quota has no room for all tasks of the
   *     graph, also for those that are held back
   * @throws DatabaseException if the transaction failed
   */
  EnqueuedGraph enqueue(TaskGraph graph);

  /**
   * Enqueues all tasks of a graph inside the caller's transaction. If the graph depends on tasks
   * that were enqueued earlier, commit soon: until then no worker can settle these.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param graph the graph
   * @return the ids of the graph and its tasks
   */
  EnqueuedGraph enqueue(Connection connection, TaskGraph graph);

  /**
   * Enqueues all tasks of a graph inside the transaction of a jOOQ context. Rota uses only its
   * connection, not its settings.
   *
   * @param context the caller's context
   * @param graph the graph
   * @return the ids of the graph and its tasks
   */
  EnqueuedGraph enqueue(DSLContext context, TaskGraph graph);

  /**
   * Reads the progress of a graph. It costs an index scan over its tasks.
   *
   * @param id the id of the graph
   * @return its progress, or empty if the graph is unknown or was removed
   */
  Optional<GraphProgress> find(long id);

  /**
   * Lists the newest graphs of the tenant.
   *
   * @param limit how many at most; 1 to 10,000
   * @return their progress, the newest graph first
   * @throws IllegalArgumentException if the limit is out of range
   */
  List<GraphProgress> list(int limit);

  /**
   * Lists tasks of a graph with their states, and the tasks that depend on each. It costs an index
   * scan over these tasks.
   *
   * @param id the id of the graph
   * @param after the id of a task; those with larger ids are listed. 0 begins with the first
   * @param limit how many at most; 1 to 10,000
   * @return the tasks by id; none if the graph is unknown or was removed
   * @throws IllegalArgumentException if the limit is out of range
   */
  List<GraphNode> nodes(long id, long after, int limit);

  /**
   * Cancels the rest of a graph: tasks that are blocked, pending or waiting never run, whatever
   * their policy, and history shows them as {@link TaskState#CANCELLED}. Running tasks are left
   * alone; their children do not begin. Children in other graphs have a dead parent.
   *
   * <p>Works in steps, each a separate transaction. After a failure the finished steps stay done,
   * and another call does the rest.
   *
   * @param id the id of the graph
   * @param reason kept with the tasks as their error text, up to 4 KiB
   * @return how many tasks were cancelled
   * @throws UnknownGraphException if the graph is unknown or was removed
   * @throws DatabaseException if a transaction failed
   */
  long cancel(long id, String reason);
}
