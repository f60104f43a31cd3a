package dev.rota.transfer.internal;

import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.Name;

/**
 * Fills a segment of history with the rows of a file. The rows then hold their states and ends
 * themselves. Batches get new numbers, since theirs belong to other batches here, and rows in the
 * ledger with their worker and time of claim. Used by one thread.
 */
final class SegmentLoader {

  private static final Sql DRAW_IDS_FOR_IMPORT = Sql.named("draw_ids_for_import");
  private static final Sql FIND_NEWEST_LEDGER = Sql.named("find_newest_ledger");

  /** The increment of the sequence: each value is the last number of a block. */
  private static final int BATCH_BLOCK = 128;

  private static final String BATCHES =
      """
      create or replace table batches as
      select batch_id, row_number() over (order by batch_id) - 1 as place, any_value(worker) as worker,
             min(claimed_at) as claimed_at, max(finished_at) as closed_at, count(*) as tasks
        from %s where batch_id <> 0 group by batch_id""";

  private static final String JOINED =
      " left join batches b on b.batch_id = r.batch_id left join blocks on blocks.place = b.place // "
          + BATCH_BLOCK;

  private static final String NUMBER =
      "blocks.last - " + (BATCH_BLOCK - 1) + " + mod(b.place, " + BATCH_BLOCK + ")";

  private static final String LEDGER =
      "select "
          + NUMBER
          + ", b.worker, epoch_us(b.claimed_at), epoch_us(coalesce(b.closed_at, b.claimed_at)),"
          + " b.tasks from batches b join blocks on blocks.place = b.place // "
          + BATCH_BLOCK
          + " where b.claimed_at is not null";

  private final RegistryTables rota;
  private final RowLoader loader;
  private final Session session;
  private final List<Integer> lanes;

  /**
   * Creates the loader for segments of one tenant.
   *
   * @param lanes the priorities of its lanes, that of lane 0 first
   */
  SegmentLoader(RegistryTables rota, Session session, RowLoader loader, List<Integer> lanes) {
    this.rota = rota;
    this.session = session;
    this.loader = loader;
    this.lanes = lanes;
  }

  /** Fills an existing, empty segment; returns the number of its rows. */
  long load(Path file, TenantTables tenant, int seq) throws IOException, SQLException {
    String rows = DuckDbFile.parquet(file);
    loader.duck().execute(BATCHES.formatted(rows));
    number();
    long unused =
        loader.load(
            LEDGER,
            TableLayout.LEDGER,
            new RowLoader.Target(
                newestLedger(),
                Map.of(
                    "tenant", Integer.toString(tenant.number()),
                    "segment", Integer.toString(seq),
                    "first_block", "0",
                    "last_block", "0",
                    "ended", Integer.toString(BatchEnd.SETTLED.code()))));
    return loader.load(
        "select " + TableLayout.HISTORY.joined(this::loaded) + " from " + rows + " r" + JOINED,
        TableLayout.HISTORY,
        RowLoader.Target.of(tenant.segment(seq)));
  }

  /** Files have batches, states and lanes that mean the same in each database. */
  private String loaded(Column column) {
    return switch (column.name()) {
      case "batch_id" -> "coalesce(" + NUMBER + ", 0)";
      case "state" -> stateCodes();
      case "lane" -> laneNumbers();
      default -> column.loaded("r.");
    };
  }

  private void number() throws IOException, SQLException {
    long batches =
        loader
            .duck()
            .query(
                "select count(*) from batches",
                result -> {
                  result.next();
                  return result.getLong(1);
                });
    long blocks = (batches + BATCH_BLOCK - 1) / BATCH_BLOCK;
    List<Long> lasts =
        session.run(
            BoundStatement.query(
                DRAW_IDS_FOR_IMPORT, row -> row.getLong(1), rota.sequence("batch_id"), blocks));
    loader.duck().execute("create or replace table blocks (place bigint, last bigint)");
    for (int i = 0; i < lasts.size(); i++) {
      loader.duck().execute("insert into blocks values (" + i + ", " + lasts.get(i) + ")");
    }
  }

  private Name newestLedger() throws SQLException {
    return rota.ledger(
        session
            .run(
                BoundStatement.query(
                    FIND_NEWEST_LEDGER.call(),
                    FIND_NEWEST_LEDGER.on("segments", rota.ledgerSegments()),
                    row -> row.getInt(1)))
            .get(0));
  }

  private static String stateCodes() {
    return Arrays.stream(AttemptStateCode.values())
        .filter(code -> code != AttemptStateCode.AS_BATCH)
        .map(code -> "when '" + code.label() + "' then " + code.code())
        .collect(Collectors.joining(" ", "case r.state ", " end::bigint"));
  }

  /** Maps lanes by their priorities, which are the same in all databases. */
  private String laneNumbers() {
    StringBuilder numbers = new StringBuilder("case r.priority when 0 then null");
    for (int lane = 1; lane < lanes.size(); lane++) {
      numbers.append(" when ").append(lanes.get(lane)).append(" then ").append(lane);
    }
    return numbers.append(" end::bigint").toString();
  }
}
