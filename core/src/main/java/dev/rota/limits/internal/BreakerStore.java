package dev.rota.limits.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.internal.BreakerState.Change;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The statements about pauses that handlers and breakers order. Thread-safe. */
final class BreakerStore {

  private static final Sql HOLD_KIND = Sql.named("hold_kind");
  private static final Sql TRIP_BREAKER = Sql.named("trip_breaker");
  private static final Sql CLOSE_BREAKER = Sql.named("close_breaker");
  private static final Sql REOPEN_KIND = Sql.named("reopen_kind");

  private final RegistryTables tables;

  BreakerStore(RegistryTables tables) {
    this.tables = tables;
  }

  /** Holds a kind for a time from now on, unless it is held for longer. */
  void hold(Session session, ScopeLimits.Key key, Duration length, String reason)
      throws SQLException {
    Integer owner = ownerOf(key);
    int unused =
        update(session, HOLD_KIND, owner, key.kind(), micros(length), reason, owner, key.kind());
  }

  /** Writes a change of a breaker, unless another process was first. */
  void write(Session session, ScopeLimits.Key key, Change change) throws SQLException {
    OffsetDateTime seen = at(change.seen());
    Duration pause = change.pause();
    int unused =
        pause == null
            ? update(session, CLOSE_BREAKER, key.tenant(), key.kind(), seen)
            : update(
                session,
                TRIP_BREAKER,
                ownerOf(key),
                key.kind(),
                micros(pause),
                change.reason(),
                seen);
  }

  /** Ends what handlers and breakers ordered for a kind; false if they ordered nothing. */
  boolean reopen(Session session, ScopeLimits.Key key) throws SQLException {
    String sql = REOPEN_KIND.on("kind_pauses", tables.kindPauses());
    return session.run(BoundStatement.update(REOPEN_KIND.call(), sql, key.tenant(), key.kind()))
        > 0;
  }

  private static @Nullable Integer ownerOf(ScopeLimits.Key key) {
    return key.tenant() == 0 ? null : key.tenant();
  }

  private static long micros(Duration duration) {
    return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
  }

  private static @Nullable OffsetDateTime at(@Nullable Instant time) {
    return time == null ? null : time.atOffset(ZoneOffset.UTC);
  }

  private int update(Session session, Sql statement, @Nullable Object... binds)
      throws SQLException {
    String sql = statement.on("kind_pauses", tables.kindPauses(), "tenants", tables.tenants());
    return session.run(BoundStatement.update(statement.call(), sql, binds));
  }
}
