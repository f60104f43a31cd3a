package dev.rota.metering.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.metering.internal.UsageRow.TenantHour;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Name;

/**
 * Reads the usage from its table and from the segments of the ledger that are not in it yet, in one
 * snapshot. Thread-safe.
 */
final class UsageReader {

  private static final Sql LIST_UNMETERED_SEGMENTS = Sql.named("list_unmetered_segments");
  private static final Sql BOUNDS_OF_USAGE = Sql.named("bounds_of_usage");
  private static final Sql READ_USAGE = Sql.named("read_usage");
  private static final Sql USAGE_OF_LEDGER_SEGMENT = Sql.named("usage_of_ledger_segment");

  private static final Duration LONGEST_STATEMENT = Duration.ofMinutes(10);

  /** How often a segment of the ledger may be dropped during a read; one does every hour or so. */
  private static final int MOST_TRIES = 5;

  private final Database database;
  private final RegistryTables tables;
  private final Map<String, Name> places;

  UsageReader(Database database, RegistryTables tables) {
    this.database = database.forReading(LONGEST_STATEMENT).asSnapshot();
    this.tables = tables;
    this.places =
        Map.of(
            "usage", tables.usage(),
            "tenants", tables.tenants(),
            "segments", tables.segments(),
            "ledger", tables.ledgerView(),
            "ledger_segments", tables.ledgerSegments());
  }

  /**
   * Hours of one tenant or of all.
   *
   * @param from the first moment
   * @param to the end
   * @param tenant the number of the tenant; 0 for all
   */
  record Span(Instant from, Instant to, int tenant) {

    private Object[] binds() {
      return new Object[] {from.toString(), to.toString(), tenant, tenant};
    }
  }

  /** The times between which all usage is. */
  Span bounds() {
    return inSnapshot(
        session ->
            session
                .run(
                    query(
                        BOUNDS_OF_USAGE,
                        row ->
                            new Span(
                                Instant.ofEpochSecond(row.getLong(1)),
                                Instant.ofEpochSecond(row.getLong(2)),
                                0)))
                .get(0));
  }

  /** Reads the usage of hours. */
  List<UsageRow> read(Span span) {
    return inSnapshot(session -> read(session, span)).values().stream()
        .sorted(UsageRow.ORDER)
        .toList();
  }

  /** Reads the usage of hours in a snapshot. */
  Map<TenantHour, UsageRow> read(Session session, Span span) throws SQLException {
    Map<TenantHour, UsageRow> found = new HashMap<>();
    add(session.run(query(READ_USAGE, UsageRow::read, span.binds())), found);
    for (int seq :
        session.run(query(LIST_UNMETERED_SEGMENTS, row -> row.getInt(1), span.to().toString()))) {
      Map<String, Name> parts = new HashMap<>(places);
      parts.put("ledger", tables.ledger(seq));
      add(
          session.run(
              BoundStatement.query(
                  USAGE_OF_LEDGER_SEGMENT.call(),
                  USAGE_OF_LEDGER_SEGMENT.on(parts),
                  UsageRow::read,
                  span.binds())),
          found);
    }
    found.values().removeIf(UsageRow::isNothing);
    return found;
  }

  private static void add(List<UsageRow> rows, Map<TenantHour, UsageRow> to) {
    rows.forEach(row -> to.merge(row.key(), row, UsageRow::plus));
  }

  /** Binds a statement on tables of the registry. */
  <T> BoundStatement<List<T>> query(
      Sql statement, BoundStatement.RowReader<T> reader, Object... binds) {
    return BoundStatement.query(statement.call(), statement.on(places), reader, binds);
  }

  /** Reads in one snapshot, and again if a table that it shows is dropped meanwhile. */
  <T> T inSnapshot(TransactionBody<T> reading) {
    String purpose = "read the usage of tenants";
    for (int tries = 1; ; tries++) {
      try {
        return database.tryTransaction(purpose, reading);
      } catch (SQLException e) {
        if (SqlErrors.isMissingTable(e) && tries < MOST_TRIES) {
          continue;
        }
        throw SqlErrors.isMissingRegistry(e)
            ? SqlErrors.schemaMissing(tables.schema())
            : SqlErrors.translate(purpose, e);
      }
    }
  }
}
