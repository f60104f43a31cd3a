package dev.rota.internal.settle;

import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.BlockRange;
import dev.rota.internal.schema.TableExtent;
import java.sql.SQLException;
import org.jooq.Name;

/**
 * Processes a table that has no index in ranges of blocks, each in a separate transaction. So no
 * transaction is long, however large the table.
 *
 * <p>A table that is rewritten between two steps, as by {@code VACUUM FULL}, has its rows in other
 * blocks afterwards: the steps then begin again. So a step must change no row twice.
 */
public final class BlockRanges {

  private final Database database;
  private final Name table;

  /** The work of one step; returns how many rows it changed. */
  public interface Step {
    int run(Session session, BlockRange range) throws SQLException;
  }

  /** Is told the rows that a step changed; returns whether another step may follow. */
  @FunctionalInterface
  public interface Listener {
    boolean proceed(long rows);
  }

  public BlockRanges(Database database, Name table) {
    this.database = database.readings();
    this.table = table;
  }

  /** The changed rows of one step, and the extent of the table then. */
  private record Done(int rows, TableExtent extent) {}

  /** Runs all steps, and returns how many rows they changed. */
  public long run(String purpose, Step step) throws SQLException {
    return run(purpose, step, rows -> true);
  }

  /**
   * Runs steps until all are done or the listener ends them; returns how many rows they changed.
   */
  public long run(String purpose, Step step, Listener listener) throws SQLException {
    TableExtent extent =
        database.tryTransaction(purpose, session -> TableExtent.of(session, table));
    long changed = 0;
    long from = 0;
    while (from < Math.max(1, extent.blocks())) {
      BlockRange range = extent.range(from, BlockRange.WORKED_TOGETHER);
      Done done = database.tryTransaction(purpose, session -> run(session, step, range));
      changed += done.rows();
      if (!listener.proceed(done.rows())) {
        return changed;
      }
      from = done.extent().isSameFileAs(extent) ? range.to() : 0;
      extent = from == 0 ? done.extent() : extent;
    }
    return changed;
  }

  /**
   * Runs a step. The step locks the table, so that the file that is read after it is the one it
   * processed.
   */
  private Done run(Session session, Step step, BlockRange range) throws SQLException {
    int rows = step.run(session, range);
    return new Done(rows, TableExtent.of(session, table));
  }
}
