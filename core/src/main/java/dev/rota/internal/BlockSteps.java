package dev.rota.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.DiscoverySql;
import dev.rota.internal.db.HistorySql;
import dev.rota.internal.db.Place;
import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a table that has no index in ranges of blocks, each in a transaction of its own, so
 * that no transaction is long however large the table.
 */
final class BlockSteps {

  /** Thirty-two megabytes: worked through in a fraction of a second. */
  private static final long BLOCKS_TOGETHER = 4_096;

  /** Rows that are inserted behind the end meanwhile belong to the last step. */
  private static final long NO_END = 4_294_967_294L;

  private final Engine engine;
  private final Name table;

  /** What is done in one step; returns how many rows it changed. */
  interface Step {
    int run(Session session, Range range) throws SQLException;
  }

  /** Blocks, the second one exclusive. */
  record Range(long from, long to) {

    /** These values of a statement, and the range behind them. */
    List<@Nullable Object> after(List<@Nullable Object> binds) {
      List<@Nullable Object> all = new ArrayList<>(binds);
      all.add(Place.startOf(from));
      all.add(Place.startOf(to));
      return all;
    }
  }

  BlockSteps(Engine engine, Name table) {
    this.engine = engine;
    this.table = table;
  }

  /** Returns how many rows all steps changed. */
  long run(String purpose, Step step) throws SQLException {
    long blocks = engine.readings().tryTransaction(purpose, this::blocks);
    long changed = 0;
    for (long from = 0; from < Math.max(1, blocks); from += BLOCKS_TOGETHER) {
      long to = from + BLOCKS_TOGETHER;
      Range range = new Range(from, to < blocks ? to : NO_END);
      changed += engine.readings().tryTransaction(purpose, session -> step.run(session, range));
    }
    return changed;
  }

  private long blocks(Session session) throws SQLException {
    return session
        .run(
            Call.query(
                HistorySql.BLOCKS.call(),
                HistorySql.BLOCKS.text(),
                row -> row.getLong(1),
                DiscoverySql.text(table)))
        .get(0);
  }
}
