package dev.rota.graph;

import dev.rota.RotaException;
import java.util.Arrays;
import java.util.List;

/**
 * Tasks that a {@link TaskGraph} depends on are not known as tasks of a graph of this tenant.
 * Nothing was inserted.
 */
public final class UnknownParentException extends RotaException {

  private static final long serialVersionUID = 1L;

  /** An array, since a list need not be serializable. */
  private final long[] ids;

  /**
   * With the ids that are not known.
   *
   * @param message what happened, to whom, and what to do
   * @param ids the ids
   */
  public UnknownParentException(String message, List<Long> ids) {
    super(message);
    this.ids = ids.stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * The ids that are not known.
   *
   * @return in ascending order
   */
  public List<Long> ids() {
    return Arrays.stream(ids).boxed().toList();
  }
}
