package dev.rota.internal.db;

import dev.rota.internal.log.Logs;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.UUID;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;

/** The statement caches of a pool's connections. Thread-safe. */
final class StatementCaches {

  private static final Logger log = Logs.of(StatementCaches.class);

  private final Map<PGConnection, StatementCache> connections =
      Collections.synchronizedMap(new WeakHashMap<>());
  private volatile boolean givenUp;

  /**
   * Returns the cache of a connection; null if it must keep nothing. That is so if its pool hides
   * the driver's connection, or if its user disabled prepared statements in the driver. Some
   * poolers require that.
   */
  @Nullable StatementCache of(Connection connection) throws SQLException {
    if (givenUp || !connection.isWrapperFor(PGConnection.class)) {
      return null;
    }
    PGConnection physical = connection.unwrap(PGConnection.class);
    return physical.getPrepareThreshold() == 0
        ? null
        : connections.computeIfAbsent(physical, unused -> new StatementCache(prefix()));
  }

  /**
   * Creates a unique prefix: behind a pooler that shares connections by transaction, a name of
   * another process could be the claim of another tenant.
   */
  private static String prefix() {
    return "rota_" + UUID.randomUUID().toString().replace("-", "") + "_";
  }

  /** Stops preparing after a statement was gone that this process did not drop. */
  void giveUp() {
    if (!givenUp) {
      givenUp = true;
      log.warn(
          "a statement that Rota had prepared is gone: a pooler shares its connections by"
              + " transaction, or a pool discards their state. Rota goes on without; set"
              + " prepareThreshold=0 in the JDBC URL, as the driver needs it there too");
    }
  }
}
