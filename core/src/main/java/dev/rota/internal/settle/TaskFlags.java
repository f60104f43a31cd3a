package dev.rota.internal.settle;

/**
 * The bits of the column {@code traits}: what a task brings with it beyond running once. Null for
 * nearly all tasks, which then cost what they cost without the column.
 */
public final class TaskFlags {

  /** A node of a graph: others may wait for its end. */
  public static final int NODE = 1;

  /** Its key outlives it. */
  public static final int KEY_KEPT = 2;

  /** Its key has a version, and may have a newer one by the time it is claimed or ends. */
  public static final int VERSIONED = 4;

  private TaskFlags() {}
}
