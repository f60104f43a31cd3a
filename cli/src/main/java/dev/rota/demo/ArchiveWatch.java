package dev.rota.demo;

import dev.rota.RotaException;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.archive.internal.store.ObjectFile;
import dev.rota.demo.DemoReport.Archived;
import dev.rota.demo.DemoTables.Moves;
import dev.rota.demo.Findings.Group;
import dev.rota.history.ArchivedSegment;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryFilter;
import dev.rota.internal.schema.AttemptStateCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Waits until history has moved into the archive, then reads the files directly, without the
 * library's readers, and compares both. Used by one thread.
 */
final class ArchiveWatch {

  private static final long LOOK_MILLIS = 200;

  private final DemoSettings.Archiving archiving;
  private final List<Tenant> tenants;
  private final DemoTables tables;
  private List<ArchivedSegment> files = List.of();

  ArchiveWatch(DemoSettings.Archiving archiving, List<Tenant> tenants, DemoTables tables) {
    this.archiving = archiving;
    this.tenants = tenants;
    this.tables = tables;
  }

  /**
   * Returns when every segment sealed by now is only in the archive, and of each tenant at least
   * one. Also returns when nothing has moved for that long.
   */
  void await(Duration patience, DemoProgress progress) throws InterruptedException {
    OffsetDateTime now = tables.now();
    // Between two steps of one segment its time in the database passes, once or twice.
    StallDetector stall = new StallDetector(patience.plus(archiving.keepHot().multipliedBy(2)));
    Moves moves = tables.moves(now);
    while (moves.left() > 0 && !stall.stalled()) {
      Thread.sleep(LOOK_MILLIS);
      moves = tables.moves(now);
      stall.observe(moves.steps());
    }
    if (stall.stalled()) {
      progress.warn(
          "nothing has moved into the archive for a while, so the demo gives up with "
              + moves.left()
              + " segments left"
              + tables.archiveTrouble().map(trouble -> ": " + trouble).orElse(""));
    }
  }

  /** Reads the files of segments that have left the database, once no more segments move. */
  void read(Findings findings) {
    files = tables.archived();
    try {
      Path folder = Files.createTempDirectory("rota-demo-archive-");
      try (Connection duck = DriverManager.getConnection("jdbc:duckdb:")) {
        for (ArchivedSegment file : files) {
          Path copy = folder.resolve("file.parquet");
          read(duck, ObjectFile.read(archiving.archive().store(), file.key(), copy), findings);
          Files.deleteIfExists(copy);
        }
      } finally {
        Files.deleteIfExists(folder);
      }
    } catch (IOException | SQLException e) {
      throw new RotaException("cannot read the archive: " + e.getMessage(), e);
    }
  }

  /** Compares the findings with the results of the library. */
  Archived compare(Findings findings) {
    Map<Group, Long> all = new HashMap<>(findings.hot());
    findings.cold().forEach((group, rows) -> all.merge(group, rows, Long::sum));
    return new Archived(
        sum(findings.hot()),
        sum(findings.cold()),
        files.size(),
        files.stream().mapToLong(ArchivedSegment::bytes).sum(),
        all.equals(told()));
  }

  private Map<Group, Long> told() {
    Map<Group, Long> told = new HashMap<>();
    for (Tenant tenant : tenants) {
      tenant
          .history()
          .count(HistoryFilter.all(), HistoryCounts.Dimension.KIND, HistoryCounts.Dimension.STATE)
          .counts()
          .forEach(count -> told.merge(group(count), count.attempts(), Long::sum));
    }
    return told;
  }

  private static Group group(HistoryCounts.Count count) {
    TaskState state = count.state().orElseThrow();
    int code =
        state == TaskState.RUNNING ? Findings.PENDING : code(state.name().toLowerCase(Locale.ROOT));
    return new Group(count.kind().orElseThrow(), code);
  }

  private static int code(String state) {
    return AttemptStateCode.valueOf(state.toUpperCase(Locale.ROOT)).code();
  }

  private static void read(Connection duck, Path file, Findings findings) throws SQLException {
    try (Statement statement = duck.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select kind, state, attempt, id from " + DuckDbFile.parquet(file))) {
      while (rows.next()) {
        Group group = new Group(rows.getString(1), code(rows.getString(2)));
        findings.addArchived(group, rows.getInt(3), rows.getLong(4));
      }
    }
  }

  private static long sum(Map<Group, Long> rows) {
    return rows.values().stream().mapToLong(Long::longValue).sum();
  }
}
