package dev.rota.demo;

import dev.rota.RotaException;

/** Thrown when a line of a trace cannot be parsed. */
public final class MalformedTraceException extends RotaException {

  private static final long serialVersionUID = 1L;

  private final long line;

  /**
   * Creates the exception.
   *
   * @param line the number of the line, counted from 1
   * @param problem the problem with the line
   */
  public MalformedTraceException(long line, String problem) {
    super("line " + line + " of the trace is malformed: " + problem);
    this.line = line;
  }

  /**
   * The number of the line.
   *
   * @return the number of the line, counted from 1
   */
  public long line() {
    return line;
  }
}
