package dev.rota.internal;

import dev.rota.TaskFilter;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Asks the running tasks of a tenant to end, one open batch in each transaction. Batches that are
 * not where they were claimed are looked for together: that reads their whole segment.
 */
final class RunningCanceller {

  private static final Sql FIND_OPEN_BATCHES = Sql.named("find_open_batches_of_tenant");
  private static final Sql FIND_BATCHES = Sql.named("find_batches");
  private static final Sql REQUEST_CANCEL = Sql.named("request_cancel");

  private final Database database;
  private final RotaTables tables;
  private final TenantHandle tenant;
  private final String purpose;

  RunningCanceller(Database database, RotaTables tables, TenantHandle tenant) {
    this.database = database;
    this.tables = tables;
    this.tenant = tenant;
    this.purpose = "ask running tasks of " + tenant.label() + " to end";
  }

  long cancel(TaskFilter which, String reason) {
    Request request = new Request(Conditions.of(which), Failures.cut(reason));
    List<BatchRow> open = openBatches();
    try {
      return ask(open, request);
    } catch (SQLException e) {
      throw Errors.translate(purpose, e);
    }
  }

  private List<BatchRow> openBatches() {
    try {
      return database.tryTransaction(purpose, this::openBatches);
    } catch (SQLException e) {
      if (Errors.isMissingRegistry(e)) {
        throw Errors.schemaMissing(tables.schema());
      }
      throw Errors.translate(purpose, e);
    }
  }

  private record Request(List<@Nullable Object> conditions, String reason) {}

  /** What batches have in common that are looked for together. */
  private record Common(long worker, int ledger, int segment) {

    static Common of(BatchRow batch) {
      return new Common(batch.worker(), batch.ledger(), batch.segment());
    }
  }

  /** One batch's trouble must not keep the others from being asked. */
  private long ask(List<BatchRow> batches, Request request) throws SQLException {
    AtomicLong asked = new AtomicLong();
    FailureCollector failures = new FailureCollector();
    Map<Common, List<BatchRow>> moved = new LinkedHashMap<>();
    for (BatchRow batch : batches) {
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
    for (List<BatchRow> together : moved.values()) {
      failures.attempt(() -> asked.addAndGet(anywhere(together, request)));
    }
    failures.throwIfAny();
    return asked.get();
  }

  private List<BatchRow> openBatches(Session session) throws SQLException {
    return session.run(BatchRow.find(FIND_OPEN_BATCHES, tables, tenant.number()));
  }

  /** How many tasks were asked; -1 if rows of the batch are somewhere else. */
  private int inItsBlocks(BatchRow batch, Request request) throws SQLException {
    return database.tryTransaction(
        purpose,
        session -> {
          List<BatchRow> open = lockOpen(session, List.of(batch));
          if (open.isEmpty()) {
            return 0;
          }
          RowFinder finder = new RowFinder(session, tenant, batch.segment());
          return finder.isInItsBlocks(batch) ? ask(session, open, request) : -1;
        });
  }

  /** The same for batches of one worker and one segment of the ledger and of history. */
  private int anywhere(List<BatchRow> batches, Request request) throws SQLException {
    return database.tryTransaction(
        purpose,
        session -> {
          List<BatchRow> open = lockOpen(session, batches);
          if (open.isEmpty()) {
            return 0;
          }
          RowFinder finder = new RowFinder(session, tenant, open.get(0).segment());
          return ask(session, finder.unsettledOf(open), request);
        });
  }

  /**
   * Those that are open. Nothing closes them before this transaction ends, and nothing drops their
   * tables. Looked up again, since their segment of the ledger may be gone by now.
   */
  private List<BatchRow> lockOpen(Session session, List<BatchRow> batches) throws SQLException {
    List<BatchRow> open =
        session.run(BatchRow.find(FIND_BATCHES, tables, ids(batches), batches.get(0).worker()));
    if (open.isEmpty()) {
      return open;
    }
    List<Long> locked =
        session.run(
            Call.query(
                BatchRow.FENCE_BATCHES.call(),
                BatchRow.FENCE_BATCHES.on("ledger", ledger(open)),
                row -> row.getLong(1),
                ids(open),
                open.get(0).worker()));
    return open.stream().filter(batch -> locked.contains(batch.id())).toList();
  }

  private int ask(Session session, List<BatchRow> batches, Request request) throws SQLException {
    List<@Nullable Object> binds = new ArrayList<>(List.of(request.reason(), ids(batches)));
    binds.addAll(request.conditions());
    binds.addAll(BatchRow.Blocks.around(batches).places());
    return session.run(
        Call.update(
            REQUEST_CANCEL.call(),
            REQUEST_CANCEL.on(
                Map.of(
                    "requests", tables.cancelRequests(),
                    "ledger", ledger(batches),
                    "segment", tenant.tables().segment(batches.get(0).segment()))),
            binds.toArray()));
  }

  private static long[] ids(List<BatchRow> batches) {
    return batches.stream().mapToLong(BatchRow::id).toArray();
  }

  private Name ledger(List<BatchRow> batches) {
    return tables.ledger(batches.get(0).ledger());
  }
}
