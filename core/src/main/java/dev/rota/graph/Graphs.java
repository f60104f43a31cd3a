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
 * Until then it stands apart: it is neither pending nor waiting, and {@link History#scanStates()}
 * does not count it. What becomes of it when a parent dies says {@link DeadParent}; a task that is
 * cancelled counts as a dead parent.
 *
 * <p>A graph can be read until the daemon forgets it, a day after it finished unless configured.
 * The first graph of a tenant makes its tables, which takes the role that owns the tenant's schema.
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
   * @throws DatabaseException if the transaction failed
   */
  EnqueuedGraph enqueue(TaskGraph graph);

  /**
   * Enqueues all tasks of a graph inside the caller's transaction. If the graph depends on tasks
   * that were enqueued earlier, commit soon: until then nobody can settle these.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param graph the graph
   * @return the ids of the graph and its tasks
   */
  EnqueuedGraph enqueue(Connection connection, TaskGraph graph);

  /**
   * Enqueues all tasks of a graph inside the transaction of a jOOQ context. Only its connection is
   * used, not its settings.
   *
   * @param context the caller's context
   * @param graph the graph
   * @return the ids of the graph and its tasks
   */
  EnqueuedGraph enqueue(DSLContext context, TaskGraph graph);

  /**
   * How far a graph has come. Costs an index scan over its tasks.
   *
   * @param id the id of the graph
   * @return its progress, or empty if it is not known, or not any more
   */
  Optional<GraphProgress> find(long id);

  /**
   * The newest graphs of the tenant.
   *
   * @param limit how many at most; 1 to 10,000
   * @return their progress, the newest graph first
   * @throws IllegalArgumentException if the limit is out of range
   */
  List<GraphProgress> list(int limit);

  /**
   * Cancels what is left of a graph: tasks that are blocked, pending or waiting never run, whatever
   * their policy, and stand in history as {@link TaskState#CANCELLED}. Tasks that run are left
   * alone; what depends on them does not begin. Tasks of other graphs that depend on cancelled ones
   * have a dead parent.
   *
   * <p>Works in steps, each a transaction of its own. When it fails in between, what was done stays
   * done, and calling it again does the rest.
   *
   * @param id the id of the graph
   * @param reason kept with the tasks as their error text, up to 4 KiB
   * @return how many tasks were cancelled
   * @throws UnknownGraphException if the graph is not known, or not any more
   * @throws DatabaseException if a transaction failed
   */
  long cancel(long id, String reason);
}
