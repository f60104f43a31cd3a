package dev.rota.history.internal;

import dev.rota.history.HourlyStatistics;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.Bounds;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Reads the hourly statistics of a tenant. */
public final class StatisticsReader {

  private static final Sql READ_STATISTICS = Sql.named("read_statistics");

  private final Database database;
  private final RegistryTables tables;
  private final TenantRef tenant;

  StatisticsReader(Database database, RegistryTables tables, TenantRef tenant) {
    this.database = database;
    this.tables = tables;
    this.tenant = tenant;
  }

  List<HourlyStatistics> read(Instant from, Instant to) {
    Bounds.check(from, to);
    String purpose = "read the statistics of " + tenant.label();
    try {
      return database.tryTransaction(purpose, session -> session.run(query(from, to)));
    } catch (SQLException e) {
      if (SqlErrors.isMissingRegistry(e)) {
        throw SqlErrors.schemaMissing(tables.schema());
      }
      throw SqlErrors.translate(purpose, e);
    }
  }

  private BoundStatement<List<HourlyStatistics>> query(Instant from, Instant to) {
    return BoundStatement.query(
        READ_STATISTICS.call(),
        READ_STATISTICS.on("statistics", tables.statistics()),
        StatisticsReader::read,
        tenant.number(),
        from.toString(),
        to.toString());
  }

  /** Reads a row of sums, of a tenant or of all. */
  public static HourlyStatistics read(ResultSet row) throws SQLException {
    HourlyStatistics.Ended ended =
        new HourlyStatistics.Ended(row.getLong(3), row.getLong(4), row.getLong(5), row.getLong(6));
    return new HourlyStatistics(
        Instant.ofEpochSecond(row.getLong(1)),
        row.getString(2),
        ended,
        times(ended.count(), row.getLong(7), row.getArray(10)),
        times(row.getLong(8), row.getLong(9), row.getArray(11)));
  }

  private static HourlyStatistics.Times times(long count, long micros, Array buckets)
      throws SQLException {
    return new HourlyStatistics.Times(
        count, Duration.of(micros, ChronoUnit.MICROS), List.of((Long[]) buckets.getArray()));
  }
}
