package dev.rota.internal.settle;

/**
 * Flag bits of a task in the column {@code traits}: graph node, retained key, versioned key. Null
 * for nearly all tasks, which then cost no more than without the column.
 */
public final class TaskFlags {

  /** The task is a node of a graph: others may wait for its end. */
  public static final int NODE = 1;

  /** The key of the task outlives it. */
  public static final int KEY_KEPT = 2;

  /**
   * The key of the task has a version, and may have a newer one when the task is claimed or ends.
   */
  public static final int VERSIONED = 4;

  private TaskFlags() {}
}
