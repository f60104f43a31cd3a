package dev.rota.internal.db;

import dev.rota.internal.log.Logs;
import dev.rota.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;

/**
 * Detects at the first use of a connection whether a pooler is between it and the server, and keeps
 * the driver from naming statements there. Thread-safe.
 *
 * <p>The driver numbers the statements that it prepares: {@code S_1} of one process is another
 * statement than that of the next. A pooler that exchanges server processes between transactions
 * and does not know of names then runs the wrong one without an error. A pooler gives the driver a
 * process number of its own, so the first flush of a connection queries the server for the true
 * one.
 */
final class Backends {

  private static final Logger log = Logs.of(Backends.class);

  private static final Sql FIND_THE_SERVER_PROCESS = Sql.named("find_the_server_process");

  /** Queries the server process of a connection. */
  static final BoundStatement<List<Integer>> PROCESS =
      BoundStatement.query(FIND_THE_SERVER_PROCESS, row -> row.getInt(1));

  private final Map<PGConnection, Knowledge> connections =
      Collections.synchronizedMap(new WeakHashMap<>());
  private final AtomicBoolean warned = new AtomicBoolean();

  /** The user's setting of a connection, and whether the setting from now on is decided. */
  private static final class Knowledge {
    private final int threshold;
    private volatile boolean decided;

    Knowledge(int threshold) {
      this.threshold = threshold;
      this.decided = threshold == 0;
    }
  }

  /**
   * Keeps a connection of unknown state from naming statements until it is known. Null if it is
   * known, or if its pool hides the driver's connection.
   */
  @Nullable Check check(Connection connection) throws SQLException {
    if (!connection.isWrapperFor(PGConnection.class)) {
      return null;
    }
    PGConnection physical = connection.unwrap(PGConnection.class);
    Knowledge knowledge =
        connections.computeIfAbsent(
            physical, unknown -> new Knowledge(unknown.getPrepareThreshold()));
    if (knowledge.decided) {
      return null;
    }
    physical.setPrepareThreshold(0);
    return new Check(physical, knowledge);
  }

  /** A query that travels with the first flush. */
  final class Check {
    private final PGConnection physical;
    private final Knowledge knowledge;
    private StatementGroup.@Nullable Reply<List<Integer>> process;

    private Check(PGConnection physical, Knowledge knowledge) {
      this.physical = physical;
      this.knowledge = knowledge;
    }

    void addTo(StatementGroup flush) {
      process = flush.add(PROCESS);
    }

    /** Evaluates the answer, if the query was sent. */
    void decide() {
      if (process == null) {
        return;
      }
      knowledge.decided = true;
      if (process.get().get(0) == physical.getBackendPID()) {
        physical.setPrepareThreshold(knowledge.threshold);
      } else if (warned.compareAndSet(false, true)) {
        log.warn(
            "a pooler is between Rota and the server: Rota has set the driver's"
                + " prepareThreshold to 0 on its connections, since names of prepared statements"
                + " mean others after an exchange of the server process. Set prepareThreshold=0 in"
                + " the JDBC URL to have it from the start");
      }
    }
  }
}
