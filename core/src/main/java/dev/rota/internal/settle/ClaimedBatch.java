package dev.rota.internal.settle;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.SafeText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jooq.QueryPart;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one claim of one tenant.
 *
 * @param tenant the tenant
 * @param row the location of the batch
 * @param tasks the tasks, in the order of the ring
 * @param bytes how many bytes of UTF-8 their payloads have together
 */
public record ClaimedBatch(
    TenantRef tenant, BatchLocation row, List<ClaimedTask> tasks, long bytes) {

  private static final Sql OPEN_BATCHES = Sql.named("open_batches");
  private static final Sql BOOK_ENDED_BATCHES = Sql.named("book_ended_batches");

  /** How a batch ended, as stored in its row of the ledger. */
  public enum BatchEnd {
    OPEN(0),
    SETTLED(1),
    ABANDONED(2),
    RELEASED(3);

    private final short code;

    BatchEnd(int code) {
      this.code = (short) code;
    }

    /** The number in the column {@code ended}. */
    public short code() {
      return code;
    }
  }

  public long id() {
    return row.id();
  }

  /**
   * Returns the statement that writes the rows of open batches into one segment of the ledger.
   *
   * @param holder the worker of the batches
   */
  public static BoundStatement<Integer> opening(
      TenantRegistry registry, long holder, List<ClaimedBatch> batches) {
    return storing(
        registry,
        OPEN_BATCHES,
        batches,
        binds(batches, holder, batches.stream().mapToLong(ClaimedBatch::bytes).toArray()));
  }

  /**
   * Returns the statement that writes the rows of batches that end in the transaction of their
   * claim.
   */
  public static BoundStatement<Integer> bookingEnded(
      TenantRegistry registry, long holder, List<Ended> ended) {
    List<ClaimedBatch> batches = ended.stream().map(Ended::batch).toList();
    List<@Nullable Object> binds =
        binds(
            batches,
            holder,
            ended.stream().mapToInt(Ended::attempts).toArray(),
            ended.stream().mapToLong(Ended::runMicros).toArray(),
            ended.stream().mapToLong(Ended::bytes).toArray());
    binds.add(1, BatchEnd.SETTLED.code());
    return storing(registry, BOOK_ENDED_BATCHES, batches, binds);
  }

  private static BoundStatement<Integer> storing(
      TenantRegistry registry,
      Sql statement,
      List<ClaimedBatch> batches,
      List<@Nullable Object> binds) {
    return BoundStatement.storing(
        batches.size(),
        "batches " + batches.stream().map(ClaimedBatch::id).limit(10).toList(),
        statement.call(),
        registry.onLedger(statement, batches.get(0).row.ledger()),
        binds.toArray());
  }

  private static List<@Nullable Object> binds(
      List<ClaimedBatch> batches, long holder, @Nullable Object... more) {
    List<BatchLocation> rows = batches.stream().map(ClaimedBatch::row).toList();
    List<@Nullable Object> binds = new ArrayList<>();
    binds.add(holder);
    binds.add(rows.stream().mapToLong(BatchLocation::id).toArray());
    binds.add(rows.stream().mapToLong(row -> row.blocks().first()).toArray());
    binds.add(rows.stream().mapToLong(row -> row.blocks().last()).toArray());
    binds.add(rows.stream().mapToInt(BatchLocation::tenant).toArray());
    binds.add(rows.stream().mapToInt(BatchLocation::segment).toArray());
    binds.add(batches.stream().mapToInt(batch -> batch.tasks().size()).toArray());
    binds.addAll(Arrays.asList(more));
    return binds;
  }

  /**
   * A batch that ends in the transaction of its claim.
   *
   * @param attempts how many of its tasks have run
   * @param bytes the bytes of their payloads
   * @param runMicros how long they have run together
   */
  public record Ended(ClaimedBatch batch, int attempts, long bytes, long runMicros) {

    /** Returns the same batch in another segment of the ledger. */
    Ended on(int ledger) {
      ClaimedBatch moved =
          new ClaimedBatch(batch.tenant, batch.row.on(ledger), batch.tasks, batch.bytes);
      return new Ended(moved, attempts, bytes, runMicros);
    }

    /** Returns a batch all of whose tasks count, before any of them has run. */
    public static Ended unrun(ClaimedBatch batch) {
      return new Ended(batch, batch.tasks().size(), batch.bytes(), 0);
    }

    /** Returns a batch with the outcomes of its tasks. Those that were handed back do not count. */
    public static Ended of(ClaimedBatch batch, List<Outcome> outcomes, long runMicros) {
      int attempts = batch.tasks().size();
      long bytes = batch.bytes();
      for (Outcome outcome : outcomes) {
        if (outcome.state() == AttemptStateCode.RELEASED) {
          attempts--;
          bytes -= SafeText.utf8Length(outcome.task().stored());
        }
      }
      return new Ended(batch, attempts, bytes, runMicros);
    }
  }

  /**
   * Outcomes of one batch to be written together.
   *
   * @param batch the batch
   * @param outcomes the exceptions; when the batch stays open, also the tasks done so far
   * @param closing whether the batch ends with it: every task without an outcome is done then
   * @param runMicros how long the handlers of its tasks ran together; only for one that ends
   */
  public record Settlement(
      ClaimedBatch batch, List<Outcome> outcomes, boolean closing, long runMicros) {

    /** Creates a settlement without a run time. */
    public Settlement(ClaimedBatch batch, List<Outcome> outcomes, boolean closing) {
      this(batch, outcomes, closing, 0);
    }

    /**
     * Whether the batch ends, and all its tasks are done without another word about any of them.
     */
    boolean succeeded() {
      return closing && outcomes.isEmpty();
    }

    /** The ids of the batches of some settlements, in the order in which transactions lock them. */
    public static long[] batches(List<Settlement> settlements, Predicate<Settlement> which) {
      return settlements.stream()
          .filter(which)
          .mapToLong(settlement -> settlement.batch().id())
          .sorted()
          .toArray();
    }
  }

  /**
   * The outcomes that were written when batches were settled. Filled by the settler, then never
   * changed.
   */
  public static final class SettleReport {

    private final Set<Long> owned = new HashSet<>();
    private final IdentityHashMap<Outcome, Outcome> replaced = new IdentityHashMap<>();

    SettleReport() {}

    /** The batches whose outcomes are written; the others had lost their lease. */
    public Set<Long> owned() {
      return Collections.unmodifiableSet(owned);
    }

    /**
     * Returns the outcome that was written for a reported one; the same, unless an extension
     * replaced it.
     */
    public Outcome written(Outcome reported) {
      return replaced.getOrDefault(reported, reported);
    }

    void addOwned(Collection<Long> batches) {
      owned.addAll(batches);
    }

    void add(SettleReport other) {
      owned.addAll(other.owned);
      replaced.putAll(other.replaced);
    }

    /** Records the replacements of some outcomes. */
    void replace(Map<Outcome, Outcome> replacements) {
      replacements.forEach(replaced::putIfAbsent);
    }

    /** Returns the settlements with the outcomes to write. */
    List<Settlement> written(List<Settlement> settlements) {
      return replaced.isEmpty() ? settlements : settlements.stream().map(this::written).toList();
    }

    private Settlement written(Settlement settlement) {
      List<Outcome> outcomes = settlement.outcomes().stream().map(this::written).toList();
      return new Settlement(
          settlement.batch(), outcomes, settlement.closing(), settlement.runMicros());
    }
  }

  /**
   * The location of a batch: its row in the ledger, and its rows in history.
   *
   * @param identity its number and its worker
   * @param ledger the segment of the ledger
   * @param tenant the number of the tenant
   * @param segment the segment of the tenant's history
   * @param blocks the blocks of this segment, unless the segment was rewritten since
   */
  public record BatchLocation(
      Identity identity, int ledger, int tenant, int segment, Blocks blocks) {

    static final Sql CLOSE_BATCHES = Sql.named("close_batches");
    public static final Sql FENCE_BATCHES = Sql.named("fence_batches");

    /**
     * The identity of a batch: its number alone may occur again after a restore or a promotion.
     *
     * @param id the number of the batch
     * @param worker the worker that claimed it; 0 if it was closed in the transaction of its claim
     */
    public record Identity(long id, long worker) {}

    /** The number of the batch. */
    public long id() {
      return identity.id();
    }

    /** The worker that claimed it. */
    public long worker() {
      return identity.worker();
    }

    /**
     * The pages that hold rows of the batch.
     *
     * @param first the first one
     * @param last the last one
     * @param rows how many rows
     */
    public record Blocks(long first, long last, int rows) {

      /** The start of the first one. */
      RowId start() {
        return RowId.startOf(first);
      }

      /** The end of the last one. */
      RowId end() {
        return RowId.startOf(last + 1);
      }

      /** The bounds of {@code ctid}, from the start of the first block to the end of the last. */
      public List<RowId> places() {
        return List.of(start(), end());
      }

      /** Returns all blocks between the first and the last one of several batches. */
      public static Blocks around(List<BatchLocation> batches) {
        long first = Long.MAX_VALUE;
        long last = 0;
        int rows = 0;
        for (BatchLocation batch : batches) {
          first = Math.min(first, batch.blocks.first);
          last = Math.max(last, batch.blocks.last);
          rows += batch.blocks.rows;
        }
        return new Blocks(first, last, rows);
      }

      public static Blocks of(List<ClaimedTask> tasks) {
        long first = Long.MAX_VALUE;
        long last = 0;
        for (ClaimedTask task : tasks) {
          RowId place = task.place();
          first = Math.min(first, place.block());
          last = Math.max(last, place.block());
        }
        return new Blocks(first, last, tasks.size());
      }
    }

    /**
     * Closes batches of one worker, and returns those that were open.
     *
     * @param ids their numbers in ascending order
     * @param runMicros the run time of each
     */
    static BoundStatement<List<Long>> closing(
        String ledger, BatchEnd end, long worker, long[] ids, long[] runMicros) {
      return BoundStatement.query(
          CLOSE_BATCHES.call(),
          ledger,
          row -> row.getLong(1),
          end.code(),
          runMicros,
          ids,
          ids,
          worker);
    }

    /** The number of its tasks, including those that have ended. */
    int tasks() {
      return blocks.rows;
    }

    /** Returns the same batch with only its rows in these blocks. */
    BatchLocation in(Blocks there) {
      return new BatchLocation(identity, ledger, tenant, segment, there);
    }

    /** Returns the same batch in another segment of the ledger. */
    BatchLocation on(int newLedger) {
      return new BatchLocation(identity, newLedger, tenant, segment, blocks);
    }

    /**
     * Finds batches in the ledger.
     *
     * @param statement one that returns the columns of the fragment {@code batches}
     */
    public static BoundStatement<List<BatchLocation>> find(
        Sql statement, RegistryTables tables, @Nullable Object... binds) {
      return find(statement, Map.of("ledger", tables.ledgerView()), binds);
    }

    /**
     * Finds batches as {@link #find(Sql, RegistryTables, Object...)} does, for a statement with
     * further places.
     */
    public static BoundStatement<List<BatchLocation>> find(
        Sql statement, Map<String, ? extends QueryPart> places, @Nullable Object... binds) {
      return BoundStatement.query(
          statement.call(), statement.on(places), BatchLocation::read, binds);
    }

    private static BatchLocation read(ResultSet row) throws SQLException {
      return new BatchLocation(
          new Identity(row.getLong(1), row.getLong(2)),
          row.getInt(3),
          row.getInt(4),
          row.getInt(5),
          new Blocks(row.getLong(6), row.getLong(7), row.getInt(8)));
    }
  }
}
