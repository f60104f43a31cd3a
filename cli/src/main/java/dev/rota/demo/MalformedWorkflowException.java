package dev.rota.demo;

import dev.rota.RotaException;
import java.nio.file.Path;

/** Thrown when a file is not a workflow in the format of WfCommons. */
public final class MalformedWorkflowException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param file the file
   * @param problem the problem, and its location
   */
  public MalformedWorkflowException(Path file, String problem) {
    super("the workflow " + file + " is malformed: " + problem);
  }
}
