package dev.rota.limits.internal.quota;

import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantAllowances.Room;
import dev.rota.internal.tenant.TenantAllowances.RoomSource;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.limits.QuotaExceededException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Asks the database for the room of tenants with a quota of pending tasks. Thread-safe. */
public final class PendingQuotas implements RoomSource {

  private static final Sql LOOK_FOR_ROOM = Sql.named("look_for_room");

  private static final Duration SHORTEST_RETRY = Duration.ofMillis(100);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(10);

  private final RegistryTables tables;
  private final LongSupplier nanoTime;
  private final Map<Integer, Long> fullSince = new ConcurrentHashMap<>();

  /**
   * Creates the quotas of one Rota.
   *
   * @param nanoTime the clock that measures for how long tenants are full
   */
  public PendingQuotas(RegistryTables tables, LongSupplier nanoTime) {
    this.tables = tables;
    this.nanoTime = nanoTime;
  }

  @Override
  public Map<Integer, Room> read(Session session, List<TenantRef> tenants) throws SQLException {
    Map<Integer, TenantRef> byNumber = new HashMap<>();
    tenants.forEach(tenant -> byNumber.put(tenant.number(), tenant));
    int[] numbers = byNumber.keySet().stream().mapToInt(Integer::intValue).toArray();
    Map<Integer, Room> rooms = new HashMap<>();
    session
        .run(
            BoundStatement.query(
                LOOK_FOR_ROOM.call(), LOOK_FOR_ROOM.on("room", tables.room()), Use::read, numbers))
        .forEach(
            use ->
                rooms.put(
                    use.tenant,
                    new BoundedRoom(Objects.requireNonNull(byNumber.get(use.tenant)), use)));
    return rooms;
  }

  /** The quota of a tenant, and how many pending tasks it has. */
  private record Use(int tenant, long allowed, long pending) {
    static Use read(ResultSet row) throws SQLException {
      return new Use(row.getInt(1), row.getLong(2), row.getLong(3));
    }
  }

  /** The room of one tenant. */
  private final class BoundedRoom implements Room {
    private final TenantRef tenant;
    private final Use use;

    BoundedRoom(TenantRef tenant, Use use) {
      this.tenant = tenant;
      this.use = use;
      if (left() > 0) {
        fullSince.remove(use.tenant);
      }
    }

    @Override
    public long left() {
      return use.allowed - use.pending;
    }

    @Override
    public RotaException refusal(long tasks) {
      return new QuotaExceededException(
          "%s has %d of at most %d pending tasks, and no room for %d more; wait until workers have run some, or raise its quota with Limits.maxPending or rota limit set --max-pending"
              .formatted(tenant.label(), use.pending, use.allowed, tasks),
          tenant.state().name(),
          new QuotaExceededException.Use("maxPending", use.allowed, use.pending),
          retryAfter());
    }

    private Duration retryAfter() {
      long now = nanoTime.getAsLong();
      Long since = fullSince.putIfAbsent(use.tenant, now);
      Duration full = Duration.ofNanos(since == null ? 0 : now - since);
      return full.compareTo(SHORTEST_RETRY) < 0
          ? SHORTEST_RETRY
          : full.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : full;
    }
  }
}
