package dev.rota.internal.settle;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.IntoLanes;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.TaskExtension.EndedTask;
import dev.rota.internal.settle.TaskExtension.Returning;
import dev.rota.internal.settle.TaskExtensions.EndedTasks;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jooq.impl.DSL;

/**
 * Returns the tasks of an open batch to the ring. It closes the batch first, since the session that
 * closes it owns the outcome, then moves the unsettled tasks. Thread-safe.
 */
public final class BatchRecovery {

  private static final Sql FIND_BATCHES = Sql.named("find_batches_of_segment");
  private static final Sql ABANDON_BATCHES = Sql.named("abandon_batches");

  /**
   * The number of batches in one scan. A scan of a segment costs about the same for any number of
   * batches.
   */
  private static final int SCANNED_TOGETHER = 1_000;

  private final RegistryTables tables;
  private final TenantRegistry registry;
  private final TaskExtensions extensions;
  private final Cache<BatchLocation.Identity, BatchLocation> scanned =
      Caffeine.newBuilder()
          .maximumSize(10L * SCANNED_TOGETHER)
          .expireAfterWrite(Duration.ofMinutes(1))
          .build();

  public BatchRecovery(RegistryTables tables, TenantRegistry registry, TaskExtensions extensions) {
    this.tables = tables;
    this.registry = registry;
    this.extensions = extensions;
  }

  /** Discards the results of scans: the server may be in another history. */
  public void forgetScans() {
    scanned.invalidateAll();
  }

  /**
   * Returns a batch whose holder is dead or does not know of it: the attempt counts.
   *
   * @return how many tasks returned to the ring; 0 as well if another session closed the batch
   */
  public int abandon(Session session, BatchLocation batch, String reason) throws SQLException {
    return giveBack(
        session, batch, new Verdict(BatchEnd.ABANDONED, AttemptStateCode.LOST, reason, 0));
  }

  /** Returns a batch that its holder hands back before it began: the attempt does not count. */
  int release(Session session, BatchLocation batch) throws SQLException {
    return giveBack(
        session,
        batch,
        new Verdict(BatchEnd.RELEASED, AttemptStateCode.RELEASED, "handed back", 1));
  }

  private int giveBack(Session session, BatchLocation batch, Verdict verdict) throws SQLException {
    Sql closing =
        verdict.end() == BatchEnd.ABANDONED ? ABANDON_BATCHES : BatchLocation.CLOSE_BATCHES;
    List<Long> closed =
        session.run(
            BatchLocation.closing(
                registry.onLedger(closing, batch.ledger()),
                verdict.end(),
                batch.worker(),
                new long[] {batch.id()},
                new long[] {0}));
    if (closed.isEmpty()) {
      return 0;
    }
    // Read in this transaction: it sees every lane that a task of the batch can have.
    TenantRef tenant = registry.read(session, batch.tenant());
    List<Returning> parts = extensions.returning(session, tenant, batch);
    int returned = takeBack(session, tenant, batch, verdict, parts);
    for (Returning part : parts) {
      part.finish();
    }
    return returned;
  }

  /**
   * Takes tasks where the batch was claimed, and then wherever the rest of it is. Tasks that ended
   * before count as found; usually they have left the blocks of the batch.
   */
  private int takeBack(
      Session session,
      TenantRef tenant,
      BatchLocation batch,
      Verdict verdict,
      List<Returning> parts)
      throws SQLException {
    TakeBack taking = new TakeBack(session, tenant, verdict, parts);
    int found = taking.over(batch);
    if (found < batch.tasks() && !taking.restOfScan(batch, found)) {
      taking.restByScan(batch);
    }
    extensions.ended(session, taking.endings);
    return taking.returned;
  }

  /** Takes the unsettled tasks of one batch out of blocks of history. Used by one thread. */
  private final class TakeBack {
    private final Session session;
    private final TenantRef tenant;
    private final Verdict verdict;
    private final List<Returning> parts;
    private final EndedTasks endings = new EndedTasks();
    private int returned;

    TakeBack(Session session, TenantRef tenant, Verdict verdict, List<Returning> parts) {
      this.session = session;
      this.tenant = tenant;
      this.verdict = verdict;
      this.parts = parts;
    }

    /** Takes tasks, and returns their number; tasks that extensions end do not return. */
    int over(BatchLocation batch) throws SQLException {
      int ended = 0;
      for (Returning part : parts) {
        ended += end(part, batch);
      }
      int back = session.run(returning(batch));
      returned += back;
      return ended + back;
    }

    /**
     * Takes the rest from the scan for another batch of the same worker. A task never becomes
     * unsettled again: if as many are taken as were unsettled then, none is left.
     */
    boolean restOfScan(BatchLocation batch, int found) throws SQLException {
      BatchLocation seen = scanned.asMap().remove(batch.identity());
      return seen != null && (found == seen.tasks() || found + over(seen) == seen.tasks());
    }

    /** Searches the whole segment for the rest. */
    void restByScan(BatchLocation batch) throws SQLException {
      RowFinder finder = new RowFinder(session, tenant, batch.segment());
      List<BatchLocation> rests = finder.unsettledWith(batch, siblings(batch));
      rests.stream().skip(1).forEach(other -> scanned.put(other.identity(), other));
      BatchLocation rest = rests.get(0);
      if (rest.tasks() > 0 && over(rest) < rest.tasks()) {
        throw finder.unreachable(List.of(batch.id()));
      }
    }

    /** Finds the other open batches of its worker there, which return one after the other. */
    private List<BatchLocation> siblings(BatchLocation batch) throws SQLException {
      return session.run(
          BatchLocation.find(
              FIND_BATCHES,
              Map.of("ledger", tables.ledgerView(), "most", DSL.inline(SCANNED_TOGETHER)),
              batch.worker(),
              batch.tenant(),
              batch.segment()));
    }

    private int end(Returning part, BatchLocation batch) throws SQLException {
      List<EndedTask> ended = part.end(batch);
      ended.stream().filter(EndedTask::isMarked).forEach(one -> endings.add(tenant, one));
      return ended.size();
    }

    private BoundStatement<Integer> returning(BatchLocation batch) {
      return IntoLanes.returned(
          tenant,
          batch.segment(),
          tables.ledger(batch.ledger()),
          verdict.state().code(),
          verdict.reason(),
          batch.blocks().start(),
          batch.blocks().end(),
          batch.id(),
          verdict.uncounted(),
          batch.id());
    }
  }

  private record Verdict(BatchEnd end, AttemptStateCode state, String reason, int uncounted) {}
}
