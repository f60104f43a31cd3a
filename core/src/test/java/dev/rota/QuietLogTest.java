package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.testing.TestDatabase;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests the log lines of an application, at INFO, after it has begun to use Rota. */
@Tag("exhaustive")
class QuietLogTest {

  private static final String WARNING = "tasks of kind 'unhandled'";

  private static final String LOGBACK =
      """
      <configuration>
        <statusListener class="ch.qos.logback.core.status.NopStatusListener"/>
        <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%logger|%level|%replace(%msg){'\\n',' '}%n</pattern></encoder>
        </appender>
        <root level="info"><appender-ref ref="out"/></root>
      </configuration>
      """;

  @TempDir Path directory;

  @Test
  void nothingButRotasOwnLines() throws Exception {
    Path settings = Files.writeString(directory.resolve("logback.xml"), LOGBACK);
    List<String> lines =
        outputOf(System.getProperty("java.class.path"), "-Dlogback.configurationFile=" + settings);
    assertThat(lines).allMatch(line -> line.matches("dev\\.rota\\.([a-z]+\\.)?internal\\..*"));
    assertThat(lines).anyMatch(line -> line.contains("|INFO|Rota brought schema \"rota\" to"));
    assertThat(lines).anyMatch(line -> line.contains("|WARN|" + WARNING));
  }

  @Test
  void withoutAProviderRotasWarningsAreSeen() throws Exception {
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("logback-classic"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> lines =
        outputOf(classPath, "-Djava.util.logging.SimpleFormatter.format=%2$s|%4$s|%5$s%n");
    assertThat(lines)
        .filteredOn(line -> !line.startsWith("SLF4J"))
        .allMatch(line -> line.matches("dev\\.rota\\.([a-z]+\\.)?internal\\..*"))
        .anyMatch(line -> line.startsWith("dev.rota.admin.internal.Migration|INFO|Rota brought"))
        .anyMatch(
            line ->
                line.startsWith("dev.rota.internal.claim.UnknownKindWarning|WARNING|" + WARNING));
  }

  @Test
  void flywayOfTheApplicationKeepsItsVoice() throws Exception {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logger flyways = context.getLogger("org.flywaydb");
    flyways.setLevel(Level.INFO);
    flyways.addAppender(log);
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      Flyway own = Flyway.configure().dataSource(database.dataSource()).load();
      rota.admin().migrate();
      assertThat(log.list).isEmpty();
      own.migrate();
      assertThat(log.list).isNotEmpty();
    } finally {
      flyways.detachAppender(log);
      flyways.setLevel(null);
    }
  }

  /** What the program writes until it has warned and worked, but for what it says itself. */
  private List<String> outputOf(String classPath, String option) throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx128m",
                  "-XX:TieredStopAtLevel=1",
                  option,
                  "-cp",
                  classPath,
                  QuietProgram.class.getName(),
                  database.jdbcUrl())
              .redirectErrorStream(true)
              .start();
      ScheduledExecutorService guard = Executors.newSingleThreadScheduledExecutor();
      try {
        // A line that never comes must end the wait for it.
        var unused = guard.schedule(process::destroyForcibly, 60, TimeUnit.SECONDS);
        return read(process);
      } finally {
        guard.shutdownNow();
        process.destroyForcibly();
      }
    }
  }

  private static List<String> read(Process process) throws IOException {
    List<String> lines = new ArrayList<>();
    boolean warned = false;
    boolean done = false;
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        warned |= line.contains(WARNING);
        done |= line.equals(QuietProgram.DONE);
        if (!line.equals(QuietProgram.DONE)) {
          lines.add(line);
        }
        if (warned && done) {
          process.outputWriter(StandardCharsets.UTF_8).close();
        }
      }
    }
    return lines;
  }
}
