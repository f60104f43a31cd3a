package dev.rota.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the log lines of the command. */
class CommandLogTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"\u001b[31m", "\r\n", "\t", "\u0007", "\u009b2J", "\u0085", "\u2028", "\u202e"})
  void aMessageIsOneLineThatSteersNoTerminal(String hostile) throws JoranException {
    String line = print("kind '" + hostile + "' failed", null);
    assertThat(line).contains("kind '?").endsWith(" failed\n");
    assertThat(line.strip().codePoints()).noneMatch(Character::isISOControl);
    assertThat(line).doesNotContain(hostile);
  }

  @Test
  void aStackTraceKeepsItsLinesAndNoPassword() throws JoranException {
    String lines = print("oops", new IllegalStateException("\u001b[31m password=secret "));
    assertThat(lines)
        .contains("IllegalStateException: ?[31m password=*** \n\tat " + getClass().getName())
        .doesNotContain("secret");
  }

  private static String print(String message, Throwable failure) throws JoranException {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(RotaCommand.class.getResource("logback.xml"));
    try {
      Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
      ConsoleAppender<ILoggingEvent> appender =
          (ConsoleAppender<ILoggingEvent>) root.getAppender("stderr");
      LoggingEvent event = new LoggingEvent("", root, Level.WARN, message, failure, null);
      return new String(appender.getEncoder().encode(event), UTF_8);
    } finally {
      context.stop();
    }
  }
}
