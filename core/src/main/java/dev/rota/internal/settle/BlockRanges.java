package dev.rota.internal.settle;

import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.BlockRange;
import dev.rota.internal.schema.TableExtent;
import java.sql.SQLException;
import org.jooq.Name;

/**
 * Goes through a table that has no index in ranges of blocks, each in a transaction of its own, so
 * that no transaction is long however large the table.
 *
 * <p>A table that is rewritten between two steps, as {@code VACUUM FULL} does, has its rows in
 * other blocks afterwards: the steps then begin again. So a step must change no row twice.
 */
public final class BlockRanges {

  private final Database database;
  private final Name table;

  /** What is done in one step; returns how many rows it changed. */
  public interface Step {
    int run(Session session, BlockRange range) throws SQLException;
  }

  public BlockRanges(Database database, Name table) {
    this.database = database.readings();
    this.table = table;
  }

  /** What one step has done, and where the table stood then. */
  private record Done(int rows, TableExtent extent) {}

  /** Returns how many rows all steps changed. */
  public long run(String purpose, Step step) throws SQLException {
    TableExtent extent =
        database.tryTransaction(purpose, session -> TableExtent.of(session, table));
    long changed = 0;
    long from = 0;
    while (from < Math.max(1, extent.blocks())) {
      BlockRange range = extent.range(from, BlockRange.WORKED_TOGETHER);
      Done done = database.tryTransaction(purpose, session -> run(session, step, range));
      changed += done.rows();
      from = done.extent().isSameFileAs(extent) ? range.to() : 0;
      extent = from == 0 ? done.extent() : extent;
    }
    return changed;
  }

  /**
   * The step locks the table, so that the file that is read behind it is the one it went through.
   */
  private Done run(Session session, Step step, BlockRange range) throws SQLException {
    int rows = step.run(session, range);
    return new Done(rows, TableExtent.of(session, table));
  }
}
