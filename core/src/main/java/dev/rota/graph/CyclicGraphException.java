package dev.rota.graph;

import dev.rota.RotaException;
import java.util.List;

/**
 * Thrown when tasks of a {@link TaskGraph} depend on each other in a cycle. Nothing was inserted.
 */
public final class CyclicGraphException extends RotaException {

  private static final long serialVersionUID = 1L;

  /** An array, since a list need not be serializable. */
  private final String[] cycle;

  /**
   * Creates the exception with the tasks of one cycle.
   *
   * @param cycle the tasks by name, or by position and kind, each before one that depends on it.
   *     The last one depends on the one before it and is the first one again
   */
  public CyclicGraphException(List<String> cycle) {
    super(
        "the graph has a cycle: "
            + String.join(" -> ", cycle)
            + "; remove one of these dependencies");
    this.cycle = cycle.toArray(String[]::new);
  }

  /**
   * The tasks of the cycle.
   *
   * @return each before one that depends on it; the first one is also the last
   */
  public List<String> cycle() {
    return List.of(cycle);
  }
}
