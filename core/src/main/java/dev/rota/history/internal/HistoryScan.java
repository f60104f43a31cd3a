package dev.rota.history.internal;

import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.table;

import dev.rota.history.ArchiveException;
import dev.rota.history.ArchiveUse;
import dev.rota.history.ArchivedRows;
import dev.rota.history.ArchivedSegment;
import dev.rota.history.HistoryArchive;
import dev.rota.history.HistoryFilter;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.DuckDb;
import dev.rota.internal.tenant.HistoryPlace;
import dev.rota.internal.tenant.SegmentCatalog;
import dev.rota.internal.tenant.TenantRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.slf4j.Logger;

/**
 * One read of a tenant's history, source by source, in the database and in the archive. A segment
 * that leaves the database meanwhile makes the whole read start again, so that no row is missed or
 * read twice. Used by one thread.
 */
public final class HistoryScan {

  private static final Logger log = Logs.of(HistoryScan.class);

  private final Sources sources;
  private final TenantRef tenant;
  private final SegmentCatalog map;
  private final List<String> opened = new ArrayList<>();
  private final List<String> missed = new ArrayList<>();
  private boolean moved;

  private HistoryScan(Sources sources, TenantRef tenant) {
    this.sources = sources;
    this.tenant = tenant;
    this.map = new SegmentCatalog(sources.tables, tenant.number());
  }

  /**
   * The sources of history.
   *
   * @param database holds recent history
   * @param tables the registry of that database
   * @param archive holds the history that left the database, if there is one
   */
  public record Sources(
      Database database, RegistryTables tables, Optional<HistoryArchive> archive) {}

  static <T> T perform(Sources sources, TenantRef tenant, Function<HistoryScan, T> reading) {
    return perform(sources, tenant, reading, use -> {});
  }

  /** Runs a read whose result has no field for the archive files that it used. */
  static <T> T perform(
      Sources sources,
      TenantRef tenant,
      Function<HistoryScan, T> reading,
      Consumer<ArchiveUse> archive) {
    while (true) {
      HistoryScan scan = new HistoryScan(sources, tenant);
      T result = reading.apply(scan);
      if (!scan.moved) {
        archive.accept(scan.archiveUse());
        return result;
      }
    }
  }

  /**
   * A consumer that logs a warning about missing archive files, for callers without one of their
   * own.
   */
  public static Consumer<ArchiveUse> warning(TenantRef tenant) {
    return use -> {
      if (!use.missed().isEmpty()) {
        log.warn(
            "{} archived segments of {} are missing in the history that was read, since this Rota"
                + " has no archive; see Rota.Builder.archive",
            use.missed().size(),
            tenant.label());
      }
    };
  }

  /** Returns one source for each segment, from the given one to the oldest. */
  List<HistoryPlace> places(HistoryFilter filter, int newest) {
    return inDatabase(dsl -> map.places(dsl, filter, newest));
  }

  /** Returns one source for all rows in the database, and one for each archive file. */
  List<HistoryPlace> placesTogether(HistoryFilter filter) {
    return inDatabase(dsl -> map.placesTogether(dsl, filter));
  }

  /** Reads the rows of one source; empty if it is in the archive and this Rota has none. */
  <T> Optional<T> read(HistoryPlace place, HistoryRows.Reading<T> reading) {
    if (place.archived().isEmpty()) {
      return Optional.of(inDatabase(dsl -> read(dsl, place, reading)));
    }
    ArchivedSegment segment = place.archived().get();
    (sources.archive.isPresent() ? opened : missed).add(segment.key());
    return sources.archive.map(present -> read(present, segment, reading));
  }

  ArchiveUse archiveUse() {
    return new ArchiveUse(opened, missed);
  }

  private <T> T read(DSLContext dsl, HistoryPlace place, HistoryRows.Reading<T> reading) {
    T result =
        reading.of(new HistoryRows(dsl, table(tenant.tables().historyView()), place.condition()));
    moved |= !map.inDatabase(dsl, Integer.MAX_VALUE).containsAll(place.segments());
    return result;
  }

  private <T> T read(
      HistoryArchive archive, ArchivedSegment segment, HistoryRows.Reading<T> reading) {
    try (ArchivedRows rows = archive.open(segment)) {
      return reading.of(
          new HistoryRows(
              DuckDb.dsl(rows.connection()), table(name(ArchivedRows.TABLE)), noCondition()));
    } catch (DataAccessException e) {
      throw new ArchiveException(
          "Rota could not read %s of %s from the archive (%s)"
              .formatted(segment.key(), tenant.label(), e.getMessage()),
          e);
    }
  }

  private <T> T inDatabase(Function<DSLContext, T> reading) {
    return sources
        .database
        .readings()
        .transaction(
            "read the history of " + tenant.label(), session -> reading.apply(session.dsl()));
  }

  /**
   * One source of history rows, either a table in PostgreSQL or an archived file, queried with the
   * same conditions.
   *
   * @param dsl runs queries on the source
   * @param table the table, with the columns of the tenant's view of its history
   * @param condition the condition that its rows have to meet
   */
  record HistoryRows(DSLContext dsl, Table<Record> table, Condition condition) {

    /** Reads from a source. */
    @FunctionalInterface
    interface Reading<T> {
      T of(HistoryRows rows);
    }
  }
}
