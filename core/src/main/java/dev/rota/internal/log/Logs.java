package dev.rota.internal.log;

import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Creates the loggers of Rota: those of SLF4J, or of {@code java.util.logging} where the
 * application has no provider of SLF4J, which would silently drop every warning. An application
 * that chose {@code slf4j-nop} has a provider, and gets no messages.
 */
public final class Logs {

  private static final boolean UNHEARD =
      LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory && !hasProvider();

  private Logs() {}

  /** The logger of a class. */
  public static Logger of(Class<?> type) {
    return UNHEARD ? new PlatformLog(type.getName()) : LoggerFactory.getLogger(type);
  }

  private static boolean hasProvider() {
    ClassLoader loader = LoggerFactory.class.getClassLoader();
    return ServiceLoader.load(SLF4JServiceProvider.class, loader).iterator().hasNext();
  }
}
