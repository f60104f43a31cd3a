package dev.rota.internal.tenant;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.rota.history.ArchivedSegment;
import dev.rota.history.HistoryFilter;
import dev.rota.internal.schema.RegistryTables;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * Locates the segments of a tenant's history: in the database until they are dropped, then in the
 * archive if the manifest lists them. A file that cannot hold rows that match a filter is left out.
 */
public final class SegmentCatalog {

  private static final Field<Integer> TENANT = field(name("tenant"), Integer.class);
  private static final Field<Integer> SEQ = field(name("seq"), Integer.class);
  private static final Field<OffsetDateTime> DROPPED_AT =
      field(name("dropped_at"), OffsetDateTime.class);
  private static final Field<String> KEY = field(name("key"), String.class);
  private static final Field<Long> BYTES = field(name("bytes"), Long.class);
  private static final Field<String> SHA256 = field(name("sha256"), String.class);
  private static final Field<OffsetDateTime> ARCHIVED_AT =
      field(name("archived_at"), OffsetDateTime.class);
  private static final Field<OffsetDateTime> EXPIRED_AT =
      field(name("expired_at"), OffsetDateTime.class);
  private static final Field<OffsetDateTime> CREATED_FROM =
      field(name("created_from"), OffsetDateTime.class);
  private static final Field<OffsetDateTime> CREATED_TO =
      field(name("created_to"), OffsetDateTime.class);
  private static final Field<Long> ID_FROM = field(name("id_from"), Long.class);
  private static final Field<Long> ID_TO = field(name("id_to"), Long.class);

  private final RegistryTables rota;
  private final int tenant;

  /** Creates the catalog of one tenant. */
  public SegmentCatalog(RegistryTables rota, int tenant) {
    this.rota = rota;
    this.tenant = tenant;
  }

  /** Returns one place for each segment, the newest first. */
  public List<HistoryPlace> places(DSLContext dsl, HistoryFilter filter, int newest) {
    List<HistoryPlace> places = new ArrayList<>();
    inDatabase(dsl, newest).forEach(seq -> places.add(HistoryPlace.segment(seq)));
    archived(dsl, filter, newest).forEach(segment -> places.add(HistoryPlace.archive(segment)));
    places.sort(Comparator.comparing(place -> -place.segments().get(0)));
    return places;
  }

  /**
   * Returns one place for all segments in the database, unless the tenant is parked and has none,
   * and one for each archived file.
   */
  public List<HistoryPlace> placesTogether(DSLContext dsl, HistoryFilter filter) {
    List<HistoryPlace> places = new ArrayList<>();
    List<Integer> present = inDatabase(dsl, Integer.MAX_VALUE);
    if (!present.isEmpty()) {
      places.add(HistoryPlace.database(present));
    }
    archived(dsl, filter, Integer.MAX_VALUE)
        .forEach(segment -> places.add(HistoryPlace.archive(segment)));
    return places;
  }

  /** The numbers of the segments in the database, the newest first. */
  public List<Integer> inDatabase(DSLContext dsl, int newest) {
    return dsl.select(SEQ)
        .from(table(rota.segments()))
        .where(TENANT.eq(tenant), DROPPED_AT.isNull(), SEQ.le(newest))
        .orderBy(SEQ.desc())
        .fetch(SEQ);
  }

  private List<ArchivedSegment> archived(DSLContext dsl, HistoryFilter filter, int newest) {
    return dsl.select(SEQ, KEY, BYTES, SHA256)
        .from(table(rota.archive()))
        .where(TENANT.eq(tenant), SEQ.le(newest), ARCHIVED_AT.isNotNull(), EXPIRED_AT.isNull())
        .and(mayHold(filter))
        .and(
            SEQ.notIn(
                select(SEQ)
                    .from(table(rota.segments()))
                    .where(TENANT.eq(tenant), DROPPED_AT.isNull())))
        .orderBy(SEQ.desc())
        .fetch(
            row ->
                new ArchivedSegment(
                    tenant, row.value1(), row.value2(), row.value3(), row.value4()));
  }

  private static Condition mayHold(HistoryFilter filter) {
    Condition condition =
        filter.createdFrom().map(t -> CREATED_TO.ge(utc(t))).orElseGet(DSL::noCondition);
    condition =
        condition.and(
            filter.createdBefore().map(t -> CREATED_FROM.lt(utc(t))).orElseGet(DSL::noCondition));
    return filter.taskId().isEmpty()
        ? condition
        : condition.and(DSL.val(filter.taskId().getAsLong()).between(ID_FROM, ID_TO));
  }

  private static OffsetDateTime utc(Instant time) {
    return time.atOffset(ZoneOffset.UTC);
  }
}
