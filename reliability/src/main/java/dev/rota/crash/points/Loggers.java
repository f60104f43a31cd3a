package dev.rota.crash.points;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** Sets the log levels while a test breaks things. */
final class Loggers {

  private Loggers() {}

  static void onlyErrorsOf(String... names) {
    for (String name : names) {
      logger(name).setLevel(Level.ERROR);
    }
  }

  static void asUsual(String... names) {
    for (String name : names) {
      logger(name).setLevel(null);
    }
  }

  private static Logger logger(String name) {
    return (Logger) LoggerFactory.getLogger(name);
  }
}
