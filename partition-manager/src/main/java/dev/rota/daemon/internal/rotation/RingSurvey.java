package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.DiscoverySql;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jooq.Name;

/**
 * Surveys all rings with two statements, and renews the queues of the rotation and the segment
 * roller. Used by one thread.
 */
public final class RingSurvey implements MaintenanceTask {

  private static final Sql SURVEY_TENANTS = Sql.named("survey_tenants");

  private final LeaderSession leader;
  private final TenantCatalog catalog;
  private final List<DueQueue> queues;
  private final Duration interval;
  private final BoundStatement<List<Optional<Row>>> tenants;
  private final TableSizes sizes;
  private final Map<Integer, OpenSegment> segments = new HashMap<>();

  private record OpenSegment(TenantCatalog.Entry entry, int seq, long table) {}

  private record Row(
      TenantCatalog.Entry entry, int slot, int segment, Times times, long segmentBytes) {}

  private record Times(
      long period, long ofRotation, long ofSegment, boolean aged, boolean overdue) {}

  public RingSurvey(
      LeaderSession leader,
      RegistryTables tables,
      TenantCatalog catalog,
      DaemonConfig settings,
      List<DueQueue> queues) {
    this.leader = leader;
    this.catalog = catalog;
    this.queues = queues;
    this.interval =
        Backoff.part(
            settings.rotation().period(), 10, Duration.ofMillis(100), Duration.ofSeconds(10));
    this.sizes = new TableSizes(leader);
    this.tenants =
        BoundStatement.query(
            SURVEY_TENANTS.call(),
            SURVEY_TENANTS.on("tenants", tables.tenants(), "segments", tables.segments()),
            this::read,
            settings.rotation().period().toMillis(),
            settings.segments().age().toMillis(),
            settings.segments().bytes(),
            settings.archive().isPresent(),
            settings.longestOpenSegment().toMillis());
  }

  @Override
  public String name() {
    return "look for due rotations";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    try {
      List<RingStatus> statuses = survey();
      queues.forEach(queue -> queue.renew(statuses));
    } catch (SQLException e) {
      // Another session just locked a table; the next survey leaves it out.
      if (!SqlErrors.isLockConflict(e)) {
        throw e;
      }
    }
    return Backoff.betweenLooks(interval, startedAt);
  }

  private List<RingStatus> survey() throws SQLException {
    List<Optional<Row>> rows = leader.transaction(name(), session -> session.run(tenants));
    List<Row> known = rows.stream().flatMap(Optional::stream).toList();
    lookUpSegments(known);
    Map<Long, Long> bytes = sizes.read(tablesOf(known));
    List<RingStatus> statuses = new ArrayList<>(known.size());
    known.forEach(row -> statuses.add(standing(row, bytes)));
    return statuses;
  }

  /** Reads a row. A ring that is not in the catalog yet is read next time. */
  private Optional<Row> read(ResultSet row) throws SQLException {
    TenantCatalog.Entry entry = catalog.find(row.getInt(1));
    if (entry == null || row.getInt(2) >= entry.slots().size()) {
      return Optional.empty();
    }
    Times times =
        new Times(
            row.getLong(4), row.getLong(5), row.getLong(6), row.getBoolean(7), row.getBoolean(8));
    return Optional.of(new Row(entry, row.getInt(2), row.getInt(3), times, row.getLong(9)));
  }

  /**
   * Looks up segments. They come and go, so each is looked up when it is seen first, and again with
   * its tenant's other tables.
   */
  private void lookUpSegments(List<Row> rows) throws SQLException {
    List<Row> unknown = rows.stream().filter(row -> !isKnown(row)).toList();
    if (unknown.isEmpty()) {
      return;
    }
    List<Name> names =
        unknown.stream().map(row -> row.entry().tenant().tables().segment(row.segment())).toList();
    List<Long> found =
        leader.transaction("look up segments", session -> DiscoverySql.oids(session, names));
    for (int i = 0; i < unknown.size(); i++) {
      Row row = unknown.get(i);
      segments.put(row.entry().number(), new OpenSegment(row.entry(), row.segment(), found.get(i)));
    }
  }

  private boolean isKnown(Row row) {
    OpenSegment known = segments.get(row.entry().number());
    return known != null
        && known.entry().equals(row.entry())
        && known.seq() == row.segment()
        && known.table() != 0;
  }

  private long[] tablesOf(List<Row> rows) {
    Stream<Row> all = rows.stream();
    return all.flatMapToLong(row -> LongStream.of(slotOf(row), segmentOf(row))).toArray();
  }

  private static long slotOf(Row row) {
    return row.entry().slots().get(row.slot());
  }

  private long segmentOf(Row row) {
    OpenSegment segment = segments.get(row.entry().number());
    return segment == null ? 0 : segment.table();
  }

  private RingStatus standing(Row row, Map<Long, Long> sizes) {
    Times times = row.times();
    long bytes = sizes.getOrDefault(segmentOf(row), 0L);
    return new RingStatus(
        row.entry(),
        times.period(),
        new RingStatus.Ring(
            row.slot(), sizes.getOrDefault(slotOf(row), 0L), times.period() != times.ofRotation()),
        new RingStatus.Segment(
            row.segment(),
            bytes,
            times.period() != times.ofSegment(),
            times.aged() || bytes >= row.segmentBytes(),
            times.overdue()));
  }

  /**
   * The status of a tenant's ring at the time of a survey.
   *
   * @param entry the tenant
   * @param period the number of the present period, counted from 1970
   * @param ring the ring
   * @param segment the tenant's open segment of history
   */
  public record RingStatus(TenantCatalog.Entry entry, long period, Ring ring, Segment segment) {

    int number() {
      return entry.number();
    }

    public RingId id() {
      return new RingId(number(), PriorityLanes.of(ring.slot()));
    }

    /** Whether this is the ring that every tenant has. */
    public boolean isOfLane0() {
      return id().lane() == 0;
    }

    /** Whether the tenant's segment is due to be sealed. */
    public boolean hasDueSegment() {
      return isOfLane0() && segment.isDue();
    }

    /** The name of the ring in messages. */
    String label() {
      String tenant = entry.tenant().label();
      PriorityLanes lanes = entry.tenant().state().lanes();
      return isOfLane0()
          ? tenant
          : "priority " + lanes.get(id().lane()).priority() + " of " + tenant;
    }

    /**
     * A ring.
     *
     * @param slot the current slot
     * @param bytes its size
     * @param periodOver whether the last rotation was in another period; a clock that was wrong may
     *     have put it into a later one
     */
    public record Ring(int slot, long bytes, boolean periodOver) {}

    /**
     * A segment that claims fill.
     *
     * @param seq its number
     * @param bytes its size
     * @param periodOver whether it was opened in another period, perhaps a later one
     * @param worthIt whether it is old or large enough to be sealed
     * @param overdue whether it is too old for the time for which its tenant keeps history
     */
    public record Segment(
        int seq, long bytes, boolean periodOver, boolean worthIt, boolean overdue) {

      /** A segment of this size is sealed without waiting for the period to end. */
      private static final long LARGE = 1L << 30;

      private boolean isDue() {
        return bytes > 0 && (overdue || bytes >= LARGE || (periodOver && worthIt));
      }
    }
  }

  /**
   * The identity of a ring.
   *
   * @param tenant the number of its tenant
   * @param lane the number of its lane; actions for the whole tenant use lane 0
   */
  public record RingId(int tenant, int lane) {

    /** The prefix of a note in the tenant's row, which identifies its ring. */
    String prefix() {
      return lane == 0 ? "" : "lane " + lane + ": ";
    }
  }

  /**
   * The rings that are due for an action, by the last survey. Postponed rings get every second turn
   * at most, or a few of them could take every turn. They get that much, or a daemon that is behind
   * with the others would never try them again. Used by one thread.
   */
  public static final class DueQueue {

    private final Predicate<RingStatus> isDue;
    private final Predicate<RingId> putOff;
    private final Predicate<RingId> mayRetry;
    private final Consumer<Set<RingId>> retain;
    private List<RingStatus> due = new ArrayList<>();
    private boolean retryIsNext;

    /**
     * Creates a queue with the state of postponed rings.
     *
     * @param isDue whether a ring belongs into the queue
     * @param putOff whether a ring was postponed
     * @param mayRetry whether it may be tried again by now
     * @param retain forgets the state of all rings but the due ones
     */
    public DueQueue(
        Predicate<RingStatus> isDue,
        Predicate<RingId> putOff,
        Predicate<RingId> mayRetry,
        Consumer<Set<RingId>> retain) {
      this.isDue = isDue;
      this.putOff = putOff;
      this.mayRetry = mayRetry;
      this.retain = retain;
    }

    /** Accepts a new survey, whose first rings come first. */
    public void renew(List<RingStatus> statuses) {
      due = statuses.stream().filter(isDue).collect(Collectors.toCollection(ArrayList::new));
      retain.accept(due.stream().map(RingStatus::id).collect(Collectors.toSet()));
    }

    /** Takes the ring whose turn it is. */
    public Optional<RingStatus> take() {
      Optional<RingStatus> fresh = first(ring -> !putOff.test(ring));
      Optional<RingStatus> retry = first(ring -> putOff.test(ring) && mayRetry.test(ring));
      boolean retries = retry.isPresent() && (retryIsNext || fresh.isEmpty());
      Optional<RingStatus> next = retries ? retry : fresh;
      retryIsNext = !retries;
      next.ifPresent(due::remove);
      return next;
    }

    private Optional<RingStatus> first(Predicate<RingId> condition) {
      return due.stream().filter(status -> condition.test(status.id())).findFirst();
    }
  }

  /**
   * Reads the sizes of many tables in one statement. A table that another session has locked is
   * left out for a few seconds, so that it does not block the query for the others. Used by one
   * thread.
   */
  static final class TableSizes {

    private static final Sql SIZES_OF_TABLES = Sql.named("sizes_of_tables");
    private static final Sql LOCKED_TABLES = Sql.named("locked_tables");

    private static final long AVOID_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LeaderSession leader;
    private final Set<Long> avoided = new HashSet<>();
    private long avoidedAt;

    private record Size(long table, long bytes) {}

    TableSizes(LeaderSession leader) {
      this.leader = leader;
    }

    /** Reads sizes in bytes by object number; 0 for tables that are gone, none for locked ones. */
    Map<Long, Long> read(long[] tables) throws SQLException {
      if (!avoided.isEmpty() && System.nanoTime() - avoidedAt > AVOID_NANOS) {
        avoided.clear();
      }
      try {
        return measure(tables);
      } catch (SQLException e) {
        if (!SqlErrors.isLockConflict(e)) {
          throw e;
        }
        avoidLocked(tables);
        return measure(tables);
      }
    }

    private Map<Long, Long> measure(long[] tables) throws SQLException {
      long[] open = Arrays.stream(tables).filter(table -> !avoided.contains(table)).toArray();
      List<Size> sizes =
          leader.transaction(
              "read the sizes of tables",
              session ->
                  session.run(
                      BoundStatement.query(
                          SIZES_OF_TABLES, row -> new Size(row.getLong(1), row.getLong(2)), open)));
      Map<Long, Long> byTable = new HashMap<>();
      sizes.forEach(size -> byTable.put(size.table(), size.bytes()));
      return byTable;
    }

    private void avoidLocked(long[] tables) throws SQLException {
      avoided.addAll(
          leader.transaction(
              "find locked tables",
              session ->
                  session.run(BoundStatement.query(LOCKED_TABLES, row -> row.getLong(1), tables))));
      avoidedAt = System.nanoTime();
    }
  }
}
