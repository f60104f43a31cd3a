package dev.rota.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/**
 * Records all log lines of any level until it is closed, and further texts that a test adds, to
 * search them for secrets. Logs go nowhere else meanwhile.
 */
public final class Eavesdropper implements AutoCloseable {

  private final Queue<String> heard = new ConcurrentLinkedQueue<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final Level level = root.getLevel();
  private final List<Appender<ILoggingEvent>> others = new ArrayList<>();
  private final AppenderBase<ILoggingEvent> ear = new Ear();
  private final Handler driversEar = new DriversEar();
  private final java.util.logging.Logger driver =
      java.util.logging.Logger.getLogger("org.postgresql");

  private Eavesdropper() {
    ear.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    ear.start();
    root.iteratorForAppenders().forEachRemaining(others::add);
    others.forEach(root::detachAppender);
    root.addAppender(ear);
    root.setLevel(Level.TRACE);
    driver.addHandler(driversEar);
    // Above that level the driver logs the data that it sends, values included.
    driver.setLevel(java.util.logging.Level.FINE);
    driver.setUseParentHandlers(false);
  }

  /** Records from now on. */
  public static Eavesdropper listen() {
    return new Eavesdropper();
  }

  /** Adds a text that users could see. */
  public void hear(String said) {
    heard.add(said);
  }

  /** All texts recorded so far. */
  public List<String> heard() {
    return List.copyOf(heard);
  }

  /** Returns the texts that contain one of these secrets. */
  public List<String> tellingOf(String... secrets) {
    return heard.stream()
        .filter(said -> List.of(secrets).stream().anyMatch(said::contains))
        .toList();
  }

  @Override
  public void close() {
    root.setLevel(level);
    root.detachAppender(ear);
    others.forEach(root::addAppender);
    driver.removeHandler(driversEar);
    driver.setLevel(null);
    driver.setUseParentHandlers(true);
  }

  /** Records the lines of SLF4J. */
  private final class Ear extends AppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      if (event.getLoggerName().startsWith("io.zonky")) {
        // The log of the server of this test.
        return;
      }
      IThrowableProxy thrown = event.getThrowableProxy();
      hear(
          event.getThreadName()
              + " "
              + event.getFormattedMessage()
              + (thrown == null ? "" : ThrowableProxyUtil.asString(thrown)));
    }
  }

  /** Records the lines of the driver. */
  private final class DriversEar extends Handler {
    @Override
    public void publish(LogRecord entry) {
      hear(new SimpleFormatter().format(entry));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
