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
 * One reading of a tenant's history, place by place, in the database and in the archive. A segment
 * that leaves the database meanwhile makes the whole reading begin again, so that nothing is missed
 * or seen twice. Used by one thread.
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
   * Where history is read from.
   *
   * @param database where it stands first
   * @param tables the registry of that database
   * @param archive where it goes that leaves the database, if there is one
   */
  public record Sources(
      Database database, RegistryTables tables, Optional<HistoryArchive> archive) {}

  static <T> T perform(Sources sources, TenantRef tenant, Function<HistoryScan, T> reading) {
    return perform(sources, tenant, reading, use -> {});
  }

  /** For readings whose result does not tell by itself what it had to do with the archive. */
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

  /** Tells in the log what is missing, for callers who do not ask. */
  public static Consumer<ArchiveUse> warning(TenantRef tenant) {
    return use -> {
      if (!use.missed().isEmpty()) {
        log.warn(
            "{} archived segments of {} are missing in what was read of its history, since this Rota"
                + " has no archive; see Rota.Builder.archive",
            use.missed().size(),
            tenant.label());
      }
    };
  }

  /** One place for each segment, the newest first, from one on. */
  List<HistoryPlace> places(HistoryFilter filter, int newest) {
    return inDatabase(dsl -> map.places(dsl, filter, newest));
  }

  /** One place for what stands in the database, and one for each file of the archive. */
  List<HistoryPlace> placesTogether(HistoryFilter filter) {
    return inDatabase(dsl -> map.placesTogether(dsl, filter));
  }

  /** Reads the rows of one place; empty if there is no archive to read them from. */
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
   * Rows of a tenant's history that stand together, in the database or in a file of the archive,
   * and that are asked for in the same words.
   *
   * @param dsl where to ask
   * @param table has the columns of the tenant's view of its history
   * @param condition which of its rows are meant
   */
  record HistoryRows(DSLContext dsl, Table<Record> table, Condition condition) {

    /** Reads them. */
    @FunctionalInterface
    interface Reading<T> {
      T of(HistoryRows rows);
    }
  }
}
