package dev.rota.internal.tenant;

import dev.rota.InvalidNameException;
import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.TaskKey;
import dev.rota.internal.payload.PayloadFormat;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.text.HeaderLine;
import dev.rota.internal.text.SafeText;
import dev.rota.spi.PayloadCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Checks tasks and names before anything is sent. */
public final class TaskValidator {

  private static final int NAME_LIMIT = 200;
  private static final int KIND_LIMIT = 128;
  private static final int NOT_IN_LIST = -1;
  private static final int PRIORITY_LIMIT = 1_000;

  /**
   * The earliest time. From here to the latest, microseconds since 1970 are exact as double
   * precision, with which SQL computes.
   */
  private static final Instant EARLIEST = Instant.parse("1700-01-01T00:00:00Z");

  private static final Instant LATEST = Instant.parse("2250-12-31T23:59:59.999999Z");
  private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);
  private static final int KEY_BYTES = 500;
  private static final Duration LONGEST_KEPT = Duration.ofDays(3_650);

  private final PayloadFormat payloads;
  private final int payloadLimit;

  public TaskValidator(PayloadFormat payloads) {
    this.payloads = payloads;
    this.payloadLimit = payloads.limit();
  }

  /** Checks a task, and returns the one to store: its payload is a text. */
  public NewTask check(NewTask task) {
    return check(task, NOT_IN_LIST);
  }

  /** Checks tasks, and returns those to store. */
  public List<NewTask> checkAll(List<NewTask> tasks) {
    List<NewTask> checked = new ArrayList<>(tasks.size());
    for (NewTask task : tasks) {
      checked.add(check(task, checked.size()));
    }
    return checked;
  }

  public static void checkName(String name) {
    checkName("tenant", name);
  }

  /** Checks a name. */
  public static void checkName(String what, String name) {
    int length = name.codePointCount(0, name.length());
    if (name.isBlank() || length > NAME_LIMIT) {
      throw new InvalidNameException(
          what + " name has " + length + " characters; it takes 1 to 200, not all of them blank");
    }
    int bad = indexOfUnstorable(name);
    if (bad >= 0) {
      throw new InvalidNameException(
          what + " name has " + unstorable(name, bad) + "; remove it, PostgreSQL cannot store it");
    }
  }

  /** Checks a text of a search condition. */
  public static void checkSought(String what, String text) {
    int bad = indexOfUnstorable(text);
    if (bad >= 0) {
      throw new IllegalArgumentException(
          what
              + " to look for has "
              + unstorable(text, bad)
              + "; PostgreSQL cannot store it, so no task has it");
    }
  }

  /** Whether a text is as long as a key may be. */
  public static boolean isKey(String key) {
    long bytes = SafeText.utf8Length(key);
    return bytes >= 1 && bytes <= KEY_BYTES;
  }

  /**
   * Whether a text is a well-formed kind: 1 to 128 of letters, digits and {@code . _ : / -}. Asked
   * for each task, so by hand, not by a regular expression.
   */
  public static boolean isKind(String text) {
    if (text.isEmpty() || text.length() > KIND_LIMIT) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (!isKindCharacter(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isKindCharacter(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "._:/-".indexOf(c) >= 0;
  }

  /** Refuses a malformed kind with an {@link IllegalArgumentException}. */
  public static void checkKind(String kind) {
    if (!isKind(kind)) {
      throw new IllegalArgumentException(malformedKind(kind));
    }
  }

  /** Checks a priority outside of a new task. */
  public static void checkPriority(int priority) {
    if (isOutOfRange(priority)) {
      throw new IllegalArgumentException(malformedPriority(priority));
    }
  }

  private static boolean isOutOfRange(int priority) {
    return Math.abs((long) priority) > PRIORITY_LIMIT;
  }

  private static String malformedPriority(int priority) {
    return "priority is " + priority + "; allowed are -1000 to 1000";
  }

  private NewTask check(NewTask task, int index) {
    if (isOutOfRange(task.priority())) {
      throw invalid(malformedPriority(task.priority()), "priority", index);
    }
    if (!isKind(task.kind())) {
      throw invalid(malformedKind(task.kind()), "kind", index);
    }
    checkStart(task, index);
    checkKey(task, index);
    NewTask written = written(task, index);
    checkPayload(written.payload(), index);
    checkHeaders(task.headers(), index);
    return written;
  }

  private static void checkHeaders(Map<String, String> headers, int index) {
    if (headers.isEmpty()) {
      return;
    }
    headers.forEach((name, value) -> checkHeader(name, value, index));
    long bytes = SafeText.utf8Length(HeaderLine.write(headers));
    if (bytes > HeaderLine.LIMIT) {
      throw invalid(
          "headers take "
              + bytes
              + " bytes as JSON; the limit is "
              + HeaderLine.LIMIT
              + ": put what is longer into the payload",
          "headers",
          index);
    }
  }

  private static void checkHeader(String name, String value, int index) {
    if (!HeaderLine.isName(name)) {
      throw invalid(
          "header name '"
              + SafeText.of(name)
              + "' is malformed; it is 1 to 64 characters out of A-Z a-z 0-9 . _ -",
          "headers",
          index);
    }
    int bad = indexOfUnstorable(value);
    if (bad >= 0) {
      throw invalid(
          "header " + name + " has " + unstorable(value, bad) + "; remove it", "headers", index);
    }
  }

  private NewTask written(NewTask task, int index) {
    Object value = task.value().orElse(null);
    if (value == null) {
      return task;
    }
    String type = value.getClass().getTypeName();
    PayloadCodec codec = payloads.codecFor(task.kind(), type);
    try {
      return task.written(codec);
    } catch (RuntimeException e) {
      String problem = " cannot be written as payload of kind '" + task.kind() + "': ";
      InvalidTaskException refused =
          invalid("value of " + type + problem + e.getMessage(), "payload", index);
      refused.initCause(e);
      throw refused;
    }
  }

  private void checkPayload(String payload, int index) {
    int bad = indexOfUnstorable(payload);
    if (bad >= 0) {
      throw invalid(
          "payload has " + unstorable(payload, bad) + "; escape it, PostgreSQL cannot store it",
          "payload",
          index);
    }
    if (payload.startsWith(StoredText.MARK)) {
      throw invalid(
          "payload begins with U+0001, which marks headers; remove it, or use NewTask.withHeader",
          "payload",
          index);
    }
    // Only a text longer than a third of the limit can break it: spare the others the count.
    if (payload.length() > payloadLimit / 3 && SafeText.utf8Length(payload) > payloadLimit) {
      throw invalid(
          "payload has "
              + SafeText.utf8Length(payload)
              + " bytes; the limit is "
              + payloadLimit
              + " (Rota.Builder.payloadLimit): store it elsewhere and enqueue a reference",
          "payload",
          index);
    }
  }

  private static void checkStart(NewTask task, int index) {
    task.runAt()
        .filter(time -> time.isBefore(EARLIEST) || time.isAfter(LATEST))
        .ifPresent(
            time -> {
              throw invalid(
                  "runAt is " + time + "; allowed are the years 1700 to 2250", "runAt", index);
            });
    task.delay()
        .filter(delay -> delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0)
        .ifPresent(
            delay -> {
              throw invalid(
                  "delay is " + delay + "; allowed are zero to " + LONGEST_DELAY.toDays() + " days",
                  "delay",
                  index);
            });
  }

  private static void checkKey(NewTask task, int index) {
    TaskKey key = task.key().orElse(null);
    if (key == null) {
      return;
    }
    int bad = indexOfUnstorable(key.text());
    if (bad >= 0) {
      throw invalid("key has " + unstorable(key.text(), bad) + "; remove it", "key", index);
    }
    long bytes = SafeText.utf8Length(key.text());
    if (bytes < 1 || bytes > KEY_BYTES) {
      throw invalid(
          "key has " + bytes + " bytes; it takes 1 to " + KEY_BYTES + ": hash what is longer",
          "key",
          index);
    }
    key.period()
        .filter(period -> period.toMillis() < 1 || period.compareTo(LONGEST_KEPT) > 0)
        .ifPresent(
            period -> {
              throw invalid(
                  "key is kept for " + period + "; allowed are 1 ms to 3,650 days", "key", index);
            });
    if (key.version().isPresent() && task.parentId().isPresent()) {
      throw invalid(
          "key has a version and the task has a parent, which its next runs would not have; put"
              + " the parent into the payload",
          "key",
          index);
    }
  }

  private static InvalidTaskException invalid(String problem, String field, int index) {
    String place = index == NOT_IN_LIST ? "" : "task " + index + " of the list: ";
    return new InvalidTaskException(place + problem, field, index);
  }

  private static String malformedKind(String kind) {
    return "kind '"
        + SafeText.of(kind)
        + "' is malformed; a kind is 1 to 128 characters out of A-Z a-z 0-9 . _ : / -";
  }

  /** The index of the first NUL or lone surrogate, which no text in UTF-8 can hold; or -1. */
  public static int indexOfUnstorable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        return i;
      }
      if (Character.isSurrogate(c)) {
        if (!startsPair(text, i)) {
          return i;
        }
        i++;
      }
    }
    return -1;
  }

  private static boolean startsPair(String text, int i) {
    return Character.isHighSurrogate(text.charAt(i))
        && i + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(i + 1));
  }

  private static String unstorable(String text, int index) {
    String what = text.charAt(index) == 0 ? "a NUL" : "a lone surrogate";
    return what + " at index " + index;
  }
}
