package dev.rota.admin.internal;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.admin.Finding;
import dev.rota.admin.Finding.Severity;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.text.SafeText;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * Checks a database for problems that keep Rota from working or endanger its guarantees. Workers
 * and daemons must start while the database is unavailable, and continue when a problem is solved.
 * So they run the checks in the background and log the findings. Thread-safe.
 */
public final class Preflight {

  private static final Logger log = Logs.of(Preflight.class);

  private static final Duration OLD = Duration.ofMinutes(10);
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

  private final Database database;
  private final ScheduledExecutorService timer;
  private final PreflightChecks checks;
  private final AtomicBoolean begun = new AtomicBoolean();

  public Preflight(Database database, ScheduledExecutorService timer, PreflightChecks checks) {
    this.database = database;
    this.timer = timer;
    this.checks = checks;
  }

  /** Returns the findings, errors first. */
  public List<Finding> findings() {
    return findings(OLD);
  }

  /**
   * Returns the findings, where a transaction counts as old once it has been open for the given
   * time.
   */
  public List<Finding> findings(Duration old) {
    return sorted(
        database.transaction(
            "look at the settings of the server",
            session ->
                Stream.concat(
                        session.runAll(checks.all(old)).stream().flatMap(List::stream),
                        checks.ofWorkers(session).stream())
                    .toList()));
  }

  /** Refuses servers on which no part of Rota works. */
  void requireServer(String purpose) {
    List<List<Finding>> found =
        database.transaction(purpose, session -> session.runAll(checks.ofServer()));
    for (Finding finding : found.stream().flatMap(List::stream).toList()) {
      if (finding.severity() == Severity.ERROR) {
        throw new DatabaseException(
            SafeText.whole(finding.toString()),
            new IllegalStateException(finding.problem()),
            false,
            false);
      }
    }
  }

  /**
   * Runs the checks once, in the background, and logs the findings; tries again while the database
   * is unavailable.
   */
  public void logOnce() {
    if (!begun.getAndSet(true)) {
      timer.execute(this::logFindings);
    }
  }

  private void logFindings() {
    try {
      findings().forEach(Preflight::log);
    } catch (DatabaseException e) {
      if (e.unavailable()) {
        var unused =
            timer.schedule(this::logFindings, LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
      } else {
        log.warn("Rota cannot look at the settings of the server: {}", e.getMessage());
      }
    } catch (RotaException e) {
      log.debug("no look at the settings of the server", e);
    }
  }

  private static void log(Finding finding) {
    String shown = SafeText.whole(finding.toString());
    if (finding.severity() == Severity.ERROR) {
      log.error("Rota cannot work in this database: {}", shown);
    } else {
      log.warn("Rota found this in the database: {}", shown);
    }
  }

  private static List<Finding> sorted(List<Finding> findings) {
    return findings.stream().sorted(Comparator.comparing(Finding::severity)).toList();
  }
}
