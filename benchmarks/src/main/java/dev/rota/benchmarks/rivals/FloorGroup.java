package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Claims from several tenants in one transaction. The claims are sent together as one text of
 * several statements, each of which the driver prepares on the server, or one by one. Then follows
 * the statement that writes their batches into the ledger, together with the COMMIT.
 */
final class FloorGroup {

  private static final String CLAIM =
      """
      with picked as materialized (
             select ctid from rota_%1$d.task_init_%1$d_0
              where ctid >= ?::tid and (select pg_try_advisory_xact_lock(1, %1$d)) limit ?),
           moved as (
             delete from rota_%1$d.task_init_%1$d_0 where ctid = any (array(select ctid from picked))
             returning id, created_at, parent_id, attempt, kind, payload)
      insert into rota_%1$d.task_hist_%1$d_1
        (id, batch_id, created_at, parent_id, attempt, state, kind, payload)
      select id, ?::bigint, created_at, parent_id, attempt + 1, 0, kind, payload from moved
      returning ctid, id, created_at, parent_id, attempt, kind, payload,
                (select max(ctid) from picked)""";

  private static final String OPEN_AND_COMMIT =
      """
      insert into rota.task_batch_1 (id, worker, claimed_at, closed_at, first_block, last_block,
                                     tenant, segment, tasks, ended)
      select u.id, 1, now(), null, u.first_block, u.last_block, u.tenant, 1, u.tasks, 0
        from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::int[], ?::int[])
             as u (id, first_block, last_block, tenant, tasks);
      commit""";

  private static final long RESCAN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final List<Integer> tenants;
  private final List<PreparedStatement> claims = new ArrayList<>();
  private final PreparedStatement open;
  private final NumberBlocks batchIds;
  private final long[] hints;
  private final FloorRows[] claimed;
  private long lookedFromStartAt = System.nanoTime();

  FloorGroup(
      Connection connection, NumberBlocks batchIds, List<Integer> tenants, boolean inOneFlush)
      throws SQLException {
    this.tenants = tenants;
    this.batchIds = batchIds;
    this.open = connection.prepareStatement(OPEN_AND_COMMIT);
    this.hints = new long[tenants.size()];
    this.claimed = new FloorRows[tenants.size()];
    List<String> texts = tenants.stream().map(tenant -> CLAIM.formatted(tenant + 1)).toList();
    for (String text : inOneFlush ? List.of(String.join(";\n", texts)) : texts) {
      claims.add(connection.prepareStatement(text));
    }
  }

  /**
   * Claims from every tenant of the group and commits.
   *
   * @param most the most tasks of one tenant
   * @param batches receives the ids of the open batches
   * @return the number of claimed tasks
   */
  int claim(int most, List<Long> batches) throws SQLException {
    lookFromStartWhenDue();
    int together = claimed.length / claims.size();
    int tasks = 0;
    for (int i = 0; i < claims.size(); i++) {
      tasks += claim(claims.get(i), i * together, together, most);
    }
    openBatches(batches);
    return tasks;
  }

  /** Makes one round trip for a number of tenants, beginning with the given one. */
  private int claim(PreparedStatement claim, int first, int count, int most) throws SQLException {
    int place = 1;
    for (int i = first; i < first + count; i++) {
      claimed[i] = new FloorRows(batchIds.take(), tenants.get(i) + 1);
      claim.setString(place++, "(" + hints[i] + ",0)");
      claim.setInt(place++, most);
      claim.setLong(place++, claimed[i].batch());
    }
    claim.execute();
    int tasks = read(claim, first);
    for (int i = first + 1; i < first + count; i++) {
      claim.getMoreResults();
      tasks += read(claim, i);
    }
    return tasks;
  }

  private int read(PreparedStatement claim, int index) throws SQLException {
    FloorRows batch = claimed[index];
    try (ResultSet rows = claim.getResultSet()) {
      long frontier = batch.read(rows);
      hints[index] = batch.size() == 0 ? 0 : Math.max(hints[index], frontier);
    }
    return batch.size();
  }

  /** Resets the hints when due: producers may have committed before them. */
  private void lookFromStartWhenDue() {
    long now = System.nanoTime();
    if (now - lookedFromStartAt > RESCAN_NANOS) {
      Arrays.fill(hints, 0);
      lookedFromStartAt = now;
    }
  }

  private void openBatches(List<Long> batches) throws SQLException {
    List<FloorRows> full = List.of(claimed).stream().filter(rows -> rows.size() > 0).toList();
    open.setObject(1, full.stream().mapToLong(FloorRows::batch).toArray());
    open.setObject(2, full.stream().mapToLong(FloorRows::firstBlock).toArray());
    open.setObject(3, full.stream().mapToLong(FloorRows::lastBlock).toArray());
    open.setObject(4, full.stream().mapToInt(FloorRows::tenant).toArray());
    open.setObject(5, full.stream().mapToInt(FloorRows::size).toArray());
    open.execute();
    full.forEach(rows -> batches.add(rows.batch()));
  }
}
