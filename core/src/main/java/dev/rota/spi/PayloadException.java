package dev.rota.spi;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a {@link PayloadCodec} for a text that it cannot read. Its message never contains the
 * text.
 *
 * <p>The line and the column follow the message as a stack frame would, so that equal errors at
 * different columns are one error in {@code rota errors}. The exception has no stack of its own: it
 * is about data, not about code.
 */
public final class PayloadException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param path the place in the value, such as {@code $.to[2].name}; {@code $} is the whole value
   * @param problem the error, without any text of the payload
   * @param line the line of the text, from 1 on; 0 if it is not known
   * @param column the column in the line, from 1 on
   * @param cause the exception of the application's own class, if that refused the value
   */
  public PayloadException(
      String path, String problem, int line, int column, @Nullable Throwable cause) {
    super(path + ": " + problem + place(line, column), cause, false, false);
  }

  private static String place(int line, int column) {
    return line < 1 ? "" : "\n\tat line " + line + ", column " + column;
  }
}
