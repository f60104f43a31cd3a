package dev.rota.internal.schema;

import dev.rota.internal.db.BoundStatement.RowId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of a table: one step of a walk through it. See {@link TableExtent#range}.
 *
 * @param from the first block
 * @param to the block behind the last one
 */
public record BlockRange(long from, long to) {

  /** For a step that changes or adds up rows. Thirty-two megabytes: a fraction of a second. */
  public static final long WORKED_TOGETHER = 4_096;

  /** For a step that reads rows, and divides the range by their bytes. Eight megabytes. */
  public static final long READ_TOGETHER = 1_024;

  /** Behind the last block that a table can have. */
  private static final long NO_END = 4_294_967_294L;

  /** From a block on to the end of the table, wherever that is when the step runs. */
  static BlockRange withoutEnd(long from) {
    return new BlockRange(from, NO_END);
  }

  /** Whether it goes to the end of the table. */
  public boolean isLast() {
    return to == NO_END;
  }

  /** No row of the range stands before this place. */
  public RowId start() {
    return RowId.startOf(from);
  }

  /** All rows of the range stand before this place. */
  public RowId end() {
    return RowId.startOf(to);
  }

  /** These values of a statement, and the range behind them. */
  public List<@Nullable Object> after(List<@Nullable Object> binds) {
    List<@Nullable Object> all = new ArrayList<>(binds);
    all.add(start());
    all.add(end());
    return all;
  }
}
