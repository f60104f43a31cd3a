package dev.rota.internal.sql;

import static org.jooq.impl.DSL.name;

import java.util.List;
import java.util.stream.IntStream;
import org.jooq.Name;

/** The names of one tenant's schema, tables and views. They contain only integers. */
public final class TenantTables {

  /** The number of slots of a ring: current, previous and next. */
  public static final int SLOTS = 3;

  /** The number of slots that a tenant can have, in ten lanes. */
  private static final int MOST_SLOTS = 30;

  private final String schema;
  private final int number;

  public TenantTables(String registrySchema, int number) {
    if (number < 1) {
      throw new IllegalArgumentException("tenant number is " + number + "; numbers start at 1");
    }
    this.schema = registrySchema + "_" + number;
    this.number = number;
  }

  public int number() {
    return number;
  }

  public Name schema() {
    return name(schema);
  }

  /** The function that enqueues for this tenant alone. */
  public Name enqueue() {
    return name(schema, "enqueue");
  }

  /** The function that makes what this tenant lacks, such as its tables. */
  public Name make() {
    return name(schema, "make");
  }

  /** A slot, counted over all lanes: those of lane 0 are 0, 1 and 2, those of lane 1 are 3 to 5. */
  public Name slot(int slot) {
    if (slot < 0 || slot >= MOST_SLOTS) {
      throw new IllegalArgumentException(
          "slot is " + slot + "; a tenant has slots 0 to " + (MOST_SLOTS - 1));
    }
    return name(schema, "task_init_" + number + "_" + slot);
  }

  /** The slots of lane 0. */
  public List<Name> slots() {
    return slots(0);
  }

  /** The slots of one lane. */
  public List<Name> slots(int lane) {
    return IntStream.range(0, SLOTS).mapToObj(i -> slot(lane * SLOTS + i)).toList();
  }

  /** A segment of history. */
  public Name segment(int seq) {
    return name(schema, "task_hist_" + number + "_" + seq);
  }

  /** The wait table of delayed tasks and retries. */
  public Name waiting() {
    return name(schema, "task_wait_" + number);
  }

  /** The table of taken keys; created with the first task that has one. */
  public Name keys() {
    return name(schema, "task_key_" + number);
  }

  /** The assignments in all pools of the tenant; created with its first pool. */
  public Name assignments() {
    return name(schema, "task_assignment_" + number);
  }

  /**
   * The known workers and tasks that are free, in all pools of the tenant; created with its first
   * pool.
   */
  public Name free() {
    return name(schema, "task_free_" + number);
  }

  /** The graphs of the tenant; this and the following ones are created with its first graph. */
  public Name graphs() {
    return name(schema, "task_graph_" + number);
  }

  /** The state of each task of a graph. */
  public Name nodes() {
    return name(schema, "task_node_" + number);
  }

  /** The dependencies between tasks of graphs. */
  public Name edges() {
    return name(schema, "task_edge_" + number);
  }

  /** The contents of tasks of graphs that cannot begin yet. */
  public Name held() {
    return name(schema, "task_held_" + number);
  }

  /** Tasks of graphs that ended without running, to be propagated to their children. */
  public Name spread() {
    return name(schema, "task_spread_" + number);
  }

  /** The view over ring and wait table. */
  public Name pendingView() {
    return name(schema, "task_init_" + number);
  }

  /** The view over all segments, with effective states. */
  public Name historyView() {
    return name(schema, "task_hist_" + number);
  }

  /** The archived history, for readers with SQL; created on request. */
  public Name archived() {
    return name(schema, "task_archive_" + number);
  }

  /** One archived segment of it: a file on the server. */
  public Name archived(int seq) {
    return name(schema, "task_archive_" + number + "_" + seq);
  }
}
