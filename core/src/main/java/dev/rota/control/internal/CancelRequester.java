package dev.rota.control.internal;

import dev.rota.control.TaskFilter;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.FailureCollector;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.RowFinder;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.ErrorText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Records cancel requests for the running tasks of a tenant, one open batch in each transaction.
 * Batches whose rows are no longer in their block range share one transaction, because it reads
 * their whole segment.
 */
public final class CancelRequester {

  private static final Sql FIND_OPEN_BATCHES = Sql.named("find_open_batches_of_tenant");
  private static final Sql FIND_BATCHES = Sql.named("find_batches");
  private static final Sql REQUEST_CANCEL = Sql.named("request_cancel");

  private final Database database;
  private final RegistryTables tables;
  private final TenantRef tenant;
  private final String purpose;

  public CancelRequester(Database database, RegistryTables tables, TenantRef tenant) {
    this.database = database;
    this.tables = tables;
    this.tenant = tenant;
    this.purpose = "ask running tasks of " + tenant.label() + " to end";
  }

  public long cancel(TaskFilter which, String reason) {
    Request request = new Request(FilterBinds.of(which), ErrorText.cut(reason));
    List<BatchLocation> open = openBatches();
    try {
      return ask(open, request);
    } catch (SQLException e) {
      throw SqlErrors.translate(purpose, e);
    }
  }

  private List<BatchLocation> openBatches() {
    try {
      return database.tryTransaction(purpose, this::openBatches);
    } catch (SQLException e) {
      if (SqlErrors.isMissingRegistry(e)) {
        throw SqlErrors.schemaMissing(tables.schema());
      }
      throw SqlErrors.translate(purpose, e);
    }
  }

  private record Request(List<@Nullable Object> conditions, String reason) {}

  /** The worker and segments that batches of one shared search have in common. */
  private record Common(long worker, int ledger, int segment) {

    static Common of(BatchLocation batch) {
      return new Common(batch.worker(), batch.ledger(), batch.segment());
    }
  }

  /**
   * Requests the cancellation of tasks in these batches. A failure at one batch does not stop the
   * others.
   */
  private long ask(List<BatchLocation> batches, Request request) throws SQLException {
    AtomicLong asked = new AtomicLong();
    FailureCollector failures = new FailureCollector();
    Map<Common, List<BatchLocation>> moved = new LinkedHashMap<>();
    for (BatchLocation batch : batches) {
      failures.attempt(
          () -> {
            int count = inItsBlocks(batch, request);
            if (count < 0) {
              moved.computeIfAbsent(Common.of(batch), unused -> new ArrayList<>()).add(batch);
            } else {
              asked.addAndGet(count);
            }
          });
    }
    for (List<BatchLocation> together : moved.values()) {
      failures.attempt(() -> asked.addAndGet(anywhere(together, request)));
    }
    failures.throwIfAny();
    return asked.get();
  }

  private List<BatchLocation> openBatches(Session session) throws SQLException {
    return session.run(BatchLocation.find(FIND_OPEN_BATCHES, tables, tenant.number()));
  }

  /** Returns the number of requests; -1 if rows of the batch are outside its block range. */
  private int inItsBlocks(BatchLocation batch, Request request) throws SQLException {
    return database.tryTransaction(
        purpose,
        session -> {
          List<BatchLocation> open = lockOpen(session, List.of(batch));
          if (open.isEmpty()) {
            return 0;
          }
          RowFinder finder = new RowFinder(session, tenant, batch.segment());
          return finder.isInItsBlocks(batch) ? ask(session, open, request) : -1;
        });
  }

  /**
   * Works as {@link #inItsBlocks}, but for batches of one worker and one segment of the ledger and
   * of history, wherever their rows are.
   */
  private int anywhere(List<BatchLocation> batches, Request request) throws SQLException {
    return database.tryTransaction(
        purpose,
        session -> {
          List<BatchLocation> open = lockOpen(session, batches);
          if (open.isEmpty()) {
            return 0;
          }
          RowFinder finder = new RowFinder(session, tenant, open.get(0).segment());
          return ask(session, finder.unsettledOf(open), request);
        });
  }

  /**
   * Locks the batches that are still open. No other session closes them before this transaction
   * ends, and none drops their tables. The batches are looked up again, since their segment of the
   * ledger may have been dropped by now.
   */
  private List<BatchLocation> lockOpen(Session session, List<BatchLocation> batches)
      throws SQLException {
    List<BatchLocation> open =
        session.run(
            BatchLocation.find(FIND_BATCHES, tables, ids(batches), batches.get(0).worker()));
    if (open.isEmpty()) {
      return open;
    }
    List<Long> locked =
        session.run(
            BoundStatement.query(
                BatchLocation.FENCE_BATCHES.call(),
                BatchLocation.FENCE_BATCHES.on("ledger", ledger(open)),
                row -> row.getLong(1),
                ids(open),
                open.get(0).worker()));
    return open.stream().filter(batch -> locked.contains(batch.id())).toList();
  }

  private int ask(Session session, List<BatchLocation> batches, Request request)
      throws SQLException {
    List<@Nullable Object> binds = new ArrayList<>(List.of(request.reason(), ids(batches)));
    binds.addAll(request.conditions());
    binds.addAll(BatchLocation.Blocks.around(batches).places());
    return session.run(
        BoundStatement.update(
            REQUEST_CANCEL.call(),
            REQUEST_CANCEL.on(
                Map.of(
                    "requests", tables.cancelRequests(),
                    "ledger", ledger(batches),
                    "segment", tenant.tables().segment(batches.get(0).segment()))),
            binds.toArray()));
  }

  private static long[] ids(List<BatchLocation> batches) {
    return batches.stream().mapToLong(BatchLocation::id).toArray();
  }

  private Name ledger(List<BatchLocation> batches) {
    return tables.ledger(batches.get(0).ledger());
  }
}
