package dev.rota.internal.log;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** A logger that writes to the platform's, {@link System.Logger}. Thread-safe. */
final class PlatformLog extends LegacyAbstractLogger {

  @Serial private static final long serialVersionUID = 1L;

  private final transient System.Logger target;

  PlatformLog(String name) {
    this.name = name;
    this.target = System.getLogger(name);
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String pattern,
      @Nullable Object @Nullable [] arguments,
      @Nullable Throwable failure) {
    target.log(levelOf(level), MessageFormatter.basicArrayFormat(pattern, arguments), failure);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  public boolean isTraceEnabled() {
    return target.isLoggable(System.Logger.Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return target.isLoggable(System.Logger.Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return target.isLoggable(System.Logger.Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return target.isLoggable(System.Logger.Level.WARNING);
  }

  @Override
  public boolean isErrorEnabled() {
    return target.isLoggable(System.Logger.Level.ERROR);
  }

  private static System.Logger.Level levelOf(Level level) {
    return level == Level.WARN
        ? System.Logger.Level.WARNING
        : System.Logger.Level.valueOf(level.name());
  }
}
