package dev.rota.internal;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.logging.LogFactory;

/**
 * Keeps Flyway's lines out of the log while Rota migrates: some 35 at INFO, with links to its
 * vendor. What goes wrong stands in its exceptions. Where Flyway logs to is one setting of the JVM,
 * so the last of several that migrate at once gives it back its voice for the application.
 */
final class FlywaySilence implements AutoCloseable {

  /** For {@code FluentConfiguration.loggers}: none. */
  static final String[] NO_LOGGERS = {};

  private static int holders;

  FlywaySilence() {
    change(1);
  }

  @Override
  public void close() {
    change(-1);
  }

  private static void change(int by) {
    synchronized (FlywaySilence.class) {
      holders += by;
      if (holders == 0) {
        LogFactory.setConfiguration(Flyway.configure());
      }
    }
  }
}
