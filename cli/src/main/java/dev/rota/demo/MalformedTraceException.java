package dev.rota.demo;

import dev.rota.RotaException;

/** A line of a trace cannot be understood. */
public final class MalformedTraceException extends RotaException {

  private static final long serialVersionUID = 1L;

  private final long line;

  /**
   * Names the line.
   *
   * @param line the number of the line, counted from 1
   * @param problem what is wrong with it
   */
  public MalformedTraceException(long line, String problem) {
    super("line " + line + " of the trace is malformed: " + problem);
    this.line = line;
  }

  /**
   * Where it is.
   *
   * @return the number of the line, counted from 1
   */
  public long line() {
    return line;
  }
}
