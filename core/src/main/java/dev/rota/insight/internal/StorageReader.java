package dev.rota.insight.internal;

import dev.rota.admin.DatabaseStatus.ArchiveTrouble;
import dev.rota.insight.StorageReport;
import dev.rota.insight.StorageReport.OpenTransaction;
import dev.rota.insight.StorageReport.Size;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads the state of the tables that the daemon keeps. Thread-safe. */
final class StorageReader {

  private static final Sql SUMMARIZE_STORAGE = Sql.named("summarize_storage");
  private static final Sql SUM_STORAGE = Sql.named("sum_storage");
  private static final Sql COUNT_POSTPONED_ROTATIONS = Sql.named("count_postponed_rotations");
  private static final Sql FIND_OLDEST_TRANSACTION = Sql.named("find_oldest_transaction");

  private static final int MOST_REASONS = 10;

  private final RegistryTables tables;
  private final RegistryCalls calls;

  StorageReader(RegistryTables tables) {
    this.tables = tables;
    this.calls = new RegistryCalls(tables);
  }

  /** What is known by other reads: the longest time since a switch, and troubles of the archive. */
  record Known(Duration longestAgo, List<ArchiveTrouble> troubles) {}

  StorageReport read(Session session, Known known) throws SQLException {
    Numbers numbers = numbers(session);
    Map<String, Integer> postponed = postponed(session);
    return new StorageReport(
        numbers.readAt,
        new StorageReport.Rotation(
            postponed.values().stream().mapToInt(Integer::intValue).sum(),
            postponed.keySet().stream().limit(MOST_REASONS).toList(),
            known.longestAgo),
        new StorageReport.Tables(
            numbers.tenants,
            segments(numbers.tenants, numbers.history),
            segments(Math.min(1, numbers.ledger), numbers.ledger),
            size(session)),
        new StorageReport.Archive(numbers.archive.all, numbers.archive.begun, known.troubles),
        calls.run(session, FIND_OLDEST_TRANSACTION, StorageReader::transaction).stream()
            .findFirst());
  }

  /** Numbers of tenants with tables, of segments in the database, and of archived ones. */
  private record Numbers(Instant readAt, int tenants, long history, long ledger, Archived archive) {

    static Numbers read(ResultSet row) throws SQLException {
      return new Numbers(
          time(row, 1),
          row.getInt(2),
          row.getLong(3),
          row.getLong(4),
          new Archived(row.getLong(5), row.getLong(6)));
    }
  }

  /** Segments in the archive, and those that are on the way there. */
  private record Archived(long all, long begun) {}

  private Numbers numbers(Session session) throws SQLException {
    return calls
        .run(
            session,
            SUMMARIZE_STORAGE,
            Numbers::read,
            Sql.render(tables.segments()),
            Sql.render(tables.archive()))
        .get(0);
  }

  private static StorageReport.Segments segments(long open, long all) {
    return new StorageReport.Segments(open, Math.max(0, all - open));
  }

  /** The number of tenants whose switch was put off, by the reason, the most frequent first. */
  private Map<String, Integer> postponed(Session session) throws SQLException {
    Map<String, Integer> reasons = new LinkedHashMap<>();
    calls
        .run(session, COUNT_POSTPONED_ROTATIONS, row -> Map.entry(row.getString(2), row.getInt(1)))
        .forEach(each -> reasons.put(each.getKey(), each.getValue()));
    return reasons;
  }

  /** The size in the last whole hour; empty if it was not noted then. */
  private Optional<Size> size(Session session) throws SQLException {
    return calls.run(session, SUM_STORAGE, StorageReader::size).stream().findFirst();
  }

  private static Size size(ResultSet row) throws SQLException {
    @Nullable Long before = row.getObject(3, Long.class);
    return new Size(
        time(row, 1),
        row.getLong(2),
        before == null ? OptionalLong.empty() : OptionalLong.of(before));
  }

  private static OpenTransaction transaction(ResultSet row) throws SQLException {
    @Nullable Double seconds = row.getObject(3, Double.class);
    return new OpenTransaction(
        row.getInt(1),
        Optional.ofNullable(row.getString(2)),
        Optional.ofNullable(seconds).map(age -> Duration.ofMillis((long) (age * 1_000))));
  }

  private static Instant time(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }
}
