package dev.rota.internal.log;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/**
 * A logger that writes to {@code java.util.logging}, as PostgreSQL's driver does. Thread-safe.
 *
 * <p>It does not write to {@link System.Logger}. That one takes the location of the call from the
 * stack, and each line would begin with the name of this class.
 */
final class PlatformLog extends LegacyAbstractLogger {

  @Serial private static final long serialVersionUID = 1L;

  private final transient java.util.logging.Logger target;

  PlatformLog(String name) {
    this.name = name;
    this.target = java.util.logging.Logger.getLogger(name);
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String pattern,
      @Nullable Object @Nullable [] arguments,
      @Nullable Throwable failure) {
    String text = MessageFormatter.basicArrayFormat(pattern, arguments);
    // Without a class and method, formatters show the name of the logger.
    target.logp(levelOf(level), null, null, text, failure);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  public boolean isTraceEnabled() {
    return isLoggable(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return isLoggable(Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return isLoggable(Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return isLoggable(Level.WARN);
  }

  @Override
  public boolean isErrorEnabled() {
    return isLoggable(Level.ERROR);
  }

  private boolean isLoggable(Level level) {
    return target.isLoggable(levelOf(level));
  }

  private static java.util.logging.Level levelOf(Level level) {
    return switch (level) {
      case ERROR -> java.util.logging.Level.SEVERE;
      case WARN -> java.util.logging.Level.WARNING;
      case INFO -> java.util.logging.Level.INFO;
      case DEBUG -> java.util.logging.Level.FINE;
      case TRACE -> java.util.logging.Level.FINER;
    };
  }
}
