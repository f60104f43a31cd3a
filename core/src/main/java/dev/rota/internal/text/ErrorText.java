package dev.rota.internal.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The text of an error in history: first its message, equal for equal errors, then the frames of
 * the application. Texts are grouped and searched by the message alone.
 */
public final class ErrorText {

  /** The beginning of the frames. */
  public static final String FRAMES = "\n\tat ";

  private static final int MOST_BYTES = 4_096;
  private static final int CAUSES = 10;
  private static final String CAUSED_BY = "\n\tcaused by ";

  /** The packages of the callers of the handler, whose frames are below it. */
  private static final Predicate<String> CALLERS =
      Pattern.compile("^dev\\.rota\\.(typed\\.)?internal\\.").asPredicate();

  /**
   * The packages of code that an application only calls and whose frames are left out; those of
   * drivers and libraries stay.
   */
  private static final Predicate<String> OTHERS =
      Pattern.compile("^(java|javax|jdk|sun|com\\.sun)\\.").asPredicate();

  private ErrorText() {}

  /**
   * What is said of an error: each cause on a line, without stacks, so that equal errors have equal
   * texts.
   */
  public static String of(Throwable error) {
    try {
      return cut(tell(error));
    } catch (RuntimeException e) {
      // Exceptions of a host have been seen that fail to say what they are.
      return error.getClass().getName() + ", whose message cannot be read: " + e.getClass();
    }
  }

  private static String tell(Throwable error) {
    StringBuilder text = new StringBuilder(String.valueOf(error));
    Throwable cause = error.getCause();
    for (int depth = 0; cause != null && depth < CAUSES; depth++) {
      text.append("\ncaused by ").append(cause);
      cause = cause.getCause();
    }
    return text.toString();
  }

  /** A text that a user gave, as history keeps it. */
  public static String cut(String text) {
    return SafeText.storable(text, MOST_BYTES);
  }

  /** The simple name of the exception with which a text begins; null if it begins with none. */
  public static @Nullable String simpleName(String text) {
    int end = 0;
    while (end < text.length() && isPartOfName(text.charAt(end))) {
      end++;
    }
    String name = text.substring(0, end);
    String simple = name.substring(1 + Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')));
    boolean whole = end == text.length() || ":,\n".indexOf(text.charAt(end)) >= 0;
    return whole && !simple.isEmpty() && Character.isUpperCase(simple.charAt(0)) ? simple : null;
  }

  private static boolean isPartOfName(char character) {
    return character == '.' || Character.isJavaIdentifierPart(character);
  }

  /** What was said, which is all there is where no frames are kept. */
  public static String said(String kept) {
    int frames = kept.indexOf(FRAMES);
    return frames < 0 ? kept : kept.substring(0, frames);
  }

  /** The frames, one on a line. */
  public static Optional<String> stack(String kept) {
    int frames = kept.indexOf(FRAMES);
    return frames < 0
        ? Optional.empty()
        : Optional.of(kept.substring(frames + 1).replace("\t", ""));
  }

  /**
   * Formats the frames of an exception and its causes, without any message. Their number is
   * limited, from the throwing frame to the handler, without those of the JDK. Each line begins
   * with a line break. Empty if they cannot be read.
   */
  public static String frames(Throwable error, int most) {
    try {
      return cut(String.join("", lines(error, most)));
    } catch (RuntimeException e) {
      return "";
    }
  }

  private static List<String> lines(Throwable error, int most) {
    List<String> lines = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    int frames = 0;
    Throwable each = error;
    for (int depth = 0; each != null && depth <= CAUSES && frames < most; depth++) {
      List<String> own =
          own(each).filter(seen::add).limit(most - frames).map(frame -> FRAMES + frame).toList();
      if (!own.isEmpty() && frames > 0) {
        lines.add(CAUSED_BY + name(each));
      }
      lines.addAll(own);
      frames += own.size();
      each = each.getCause();
    }
    return lines;
  }

  private static Stream<String> own(Throwable error) {
    return Arrays.stream(error.getStackTrace())
        .takeWhile(frame -> !CALLERS.test(frame.getClassName()))
        .filter(frame -> !OTHERS.test(frame.getClassName()))
        .map(ErrorText::line);
  }

  private static String line(StackTraceElement frame) {
    String place =
        frame.getFileName() == null ? "" : frame.getFileName() + ":" + frame.getLineNumber();
    return SafeText.of(frame.getClassName() + "." + frame.getMethodName() + "(" + place + ")");
  }

  /** The classes of an exception and its causes as far as they can be read, without messages. */
  public static String names(Throwable error) {
    StringBuilder names = new StringBuilder(name(error));
    try {
      Throwable cause = error.getCause();
      for (int depth = 0; cause != null && depth < CAUSES; depth++) {
        names.append(", caused by ").append(name(cause));
        cause = cause.getCause();
      }
    } catch (RuntimeException e) {
      names.append(", whose cause cannot be read");
    }
    return names.toString();
  }

  private static String name(Throwable error) {
    return SafeText.of(error.getClass().getName());
  }
}
