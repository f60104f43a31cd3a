package dev.rota.internal.payload;

import dev.rota.NewTask;
import dev.rota.internal.text.HeaderLine;
import java.util.Map;

/**
 * The text that stands in the column {@code payload}: the payload of a task, and before it one line
 * of headers if the task has any. Such a line begins with the character U+0001, which no JSON
 * begins with, so that other tasks cost no byte and one comparison.
 *
 * <p>A bit in the column {@code traits} would mark the line as well. It would take eight bytes a
 * row, keep these tasks from the fastest statements, and need a column beside each copy of a
 * payload: in schedules, keys with versions and tasks of graphs.
 */
public final class StoredText {

  /** What a line of headers begins with, and no payload may. */
  public static final String MARK = "\u0001";

  private StoredText() {}

  /** Returns the text to store for a task whose payload is written. */
  public static String of(NewTask task) {
    return of(task.headers(), task.payload());
  }

  /** Returns the text to store for a payload with these headers. */
  public static String of(Map<String, String> headers, String payload) {
    return headers.isEmpty() ? payload : MARK + HeaderLine.write(headers) + '\n' + payload;
  }

  /** Returns the payload without the headers. */
  public static String payload(String stored) {
    int end = endOfLine(stored);
    return end < 0 ? stored : stored.substring(end + 1);
  }

  /** Returns the headers; none if the line is malformed. */
  public static Map<String, String> headers(String stored) {
    int end = endOfLine(stored);
    return end < 0 ? Map.of() : HeaderLine.read(stored.substring(1, end)).orElse(Map.of());
  }

  /** The index of the end of the headers; negative if there are none. */
  private static int endOfLine(String stored) {
    return stored.startsWith(MARK) ? stored.indexOf('\n') : -1;
  }
}
