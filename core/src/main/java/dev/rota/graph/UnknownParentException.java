package dev.rota.graph;

import dev.rota.RotaException;
import java.util.Arrays;
import java.util.List;

/**
 * Thrown when tasks that a {@link TaskGraph} depends on are unknown as tasks of a graph of this
 * tenant. Nothing was inserted.
 */
public final class UnknownParentException extends RotaException {

  private static final long serialVersionUID = 1L;

  /** An array, since a list need not be serializable. */
  private final long[] ids;

  /**
   * Creates the exception with the unknown ids.
   *
   * @param message the problem, the graph, and the remedy
   * @param ids the ids
   */
  public UnknownParentException(String message, List<Long> ids) {
    super(message);
    this.ids = ids.stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * The ids of the unknown parents.
   *
   * @return in ascending order
   */
  public List<Long> ids() {
    return Arrays.stream(ids).boxed().toList();
  }
}
