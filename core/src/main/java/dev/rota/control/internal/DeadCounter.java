package dev.rota.control.internal;

import dev.rota.control.Redrive;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.BlockRange;
import dev.rota.internal.settle.BlockRanges;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.text.ErrorFingerprint;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Counts dead tasks of a segment, and finds the texts of their errors. Fingerprints are computed
 * here, from the texts that a range of blocks holds, since the database does not know them.
 */
final class DeadCounter {

  private static final Sql COUNT_DEAD = Sql.named("count_dead");
  private static final Sql COUNT_DEAD_BY_ERROR = Sql.named("count_dead_by_error");

  private final Database database;
  private final Redrive what;

  /** An error, and how many tasks died of it. */
  private record Deaths(String error, int tasks) {}

  DeadCounter(Database database, Redrive what) {
    this.database = database;
    this.what = what;
  }

  /** Counts the tasks of a segment, and tells the steps. */
  void count(String purpose, Name segment, TaskSteps steps) throws SQLException {
    long unused =
        new BlockRanges(database, segment)
            .run(purpose, (session, range) -> count(session, segment, range), steps);
  }

  private int count(Session session, Name segment, BlockRange range) throws SQLException {
    return what.fingerprint().isPresent()
        ? deaths(session, segment, range).stream().mapToInt(Deaths::tasks).sum()
        : all(session, segment, range);
  }

  private int all(Session session, Name segment, BlockRange range) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                COUNT_DEAD.call(),
                COUNT_DEAD.on("segment", segment),
                row -> row.getInt(1),
                range.after(FilterBinds.of(what)).toArray()))
        .get(0);
  }

  /** The texts of the errors in a range of blocks that have the fingerprint. */
  List<String> errors(Session session, Name segment, BlockRange range) throws SQLException {
    return deaths(session, segment, range).stream().map(Deaths::error).toList();
  }

  private List<Deaths> deaths(Session session, Name segment, BlockRange range) throws SQLException {
    List<@Nullable Object> binds = range.after(FilterBinds.of(what));
    long fingerprint = what.fingerprint().orElseThrow();
    return session
        .run(
            BoundStatement.query(
                COUNT_DEAD_BY_ERROR.call(),
                COUNT_DEAD_BY_ERROR.on("segment", segment),
                row -> new Deaths(String.valueOf(row.getString(1)), row.getInt(2)),
                binds.toArray()))
        .stream()
        .filter(deaths -> ErrorFingerprint.of(deaths.error).hash() == fingerprint)
        .toList();
  }
}
