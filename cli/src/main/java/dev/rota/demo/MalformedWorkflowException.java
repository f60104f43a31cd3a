package dev.rota.demo;

import dev.rota.RotaException;
import java.nio.file.Path;

/** A file is not a workflow in the format of WfCommons. */
public final class MalformedWorkflowException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Names the file.
   *
   * @param file the file
   * @param problem what is wrong, and where
   */
  public MalformedWorkflowException(Path file, String problem) {
    super("the workflow " + file + " is malformed: " + problem);
  }
}
