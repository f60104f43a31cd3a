package dev.rota.internal.settle;

import dev.rota.RotaException;
import dev.rota.UnknownTenantException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.schema.DiscoverySql;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedBatch.Ended;
import dev.rota.internal.settle.ClaimedBatch.SettleReport;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.TaskExtensions.EndedTasks;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Writes the outcomes of many batches in one transaction. It first updates the ledger, which shows
 * the batches whose lease still holds, then writes the exceptions of those alone. Thread-safe.
 */
public final class Settler {

  private static final Sql LOOK_UP_BATCHES = Sql.named("look_up_batches");

  private final Database database;
  private final TenantRegistry registry;
  private final ProcessLease lease;
  private final Doorbell doorbell;
  private final TaskExtensions extensions;

  public Settler(
      Database database,
      TenantRegistry registry,
      ProcessLease lease,
      Doorbell doorbell,
      TaskExtensions extensions) {
    this.database = database;
    this.registry = registry;
    this.lease = lease;
    this.doorbell = doorbell;
    this.extensions = extensions;
  }

  /**
   * Settles batches.
   *
   * @return the written outcomes
   * @throws dev.rota.RotaException if nothing was written, or if that is unknown; settling again is
   *     safe in either case
   */
  public SettleReport settle(List<Settlement> settlements) {
    SettleReport settled = new SettleReport();
    groups(settlements).values().forEach(group -> settled.add(settleGroup(group)));
    settlements.stream()
        .filter(Settlement::closing)
        .forEach(settlement -> lease.drop(settlement.batch().id()));
    return settled;
  }

  /**
   * Writes the outcomes of a batch inside the transaction in which it was claimed, and its row in
   * the ledger.
   *
   * @param runMicros how long its handlers ran
   */
  public void settleIn(Session session, List<Outcome> outcomes, ClaimedBatch batch, long runMicros)
      throws SQLException {
    OutcomeStatements exceptions =
        new OutcomeStatements(registry.tables()).add(batch, outcomes, true);
    exceptions.writeTogether(session);
    exceptions.announce(session, doorbell);
    extensions.ended(session, new EndedTasks().add(outcomes));
    book(session, Ended.of(batch, outcomes, runMicros));
  }

  /** Books a batch in the segment that is the newest now: handlers may have run for minutes. */
  private void book(Session session, Ended ended) throws SQLException {
    Ended present = ended.on(registry.newestLedger(session));
    session.run(
        ClaimedBatch.bookingEnded(registry, ended.batch().row().worker(), List.of(present)));
  }

  /** The batches that settle together: those of one segment, and of one number of this worker. */
  private record Group(int ledger, long worker) {
    static Group of(Settlement settlement) {
      BatchLocation row = settlement.batch().row();
      return new Group(row.ledger(), row.worker());
    }
  }

  private static Map<Group, List<Settlement>> groups(List<Settlement> settlements) {
    Map<Group, List<Settlement>> groups = new LinkedHashMap<>();
    for (Settlement settlement : settlements) {
      groups.computeIfAbsent(Group.of(settlement), group -> new ArrayList<>()).add(settlement);
    }
    return groups;
  }

  private SettleReport settleGroup(List<Settlement> settlements) {
    String purpose = purpose(settlements);
    try {
      return settlements.stream().allMatch(Settlement::succeeded)
          ? closeGroup(purpose, settlements)
          : database.tryTransaction(purpose, session -> settleGroupIn(session, settlements));
    } catch (SQLException e) {
      if (SqlErrors.isMissingTable(e)) {
        return settlePresent(settlements, SqlErrors.translate(purpose, e));
      }
      throw SqlErrors.translate(purpose, e);
    } catch (UnknownTenantException e) {
      return settlePresent(settlements, e);
    }
  }

  private static String purpose(List<Settlement> settlements) {
    Set<Integer> tenants = tenants(settlements);
    String whose =
        tenants.size() == 1
            ? settlements.get(0).batch().tenant().label()
            : tenants.size() + " tenants";
    return "settle " + settlements.size() + " batches of " + whose;
  }

  private static Set<Integer> tenants(List<Settlement> settlements) {
    Set<Integer> tenants = new HashSet<>();
    settlements.forEach(settlement -> tenants.add(settlement.batch().tenant().number()));
    return tenants;
  }

  /**
   * Settles without tenants that are erased, whose outcomes are dropped. A segment of the ledger is
   * dropped only when all its batches are closed: if it is missing, other sessions closed them.
   *
   * @param trouble the error about a missing table or tenant, thrown unless one of these is the
   *     reason
   */
  private SettleReport settlePresent(List<Settlement> settlements, RotaException trouble) {
    Name ledger = registry.tables().ledger(Group.of(settlements.get(0)).ledger());
    Optional<Set<Integer>> present =
        database.transaction(
            "look for what is missing in " + ledger,
            session ->
                exists(session, ledger)
                    ? Optional.of(registry.present(session, tenants(settlements)))
                    : Optional.empty());
    if (present.isEmpty()) {
      return new SettleReport();
    }
    List<Settlement> left =
        settlements.stream()
            .filter(one -> present.get().contains(one.batch().tenant().number()))
            .toList();
    if (left.size() == settlements.size()) {
      throw trouble;
    }
    return left.isEmpty() ? new SettleReport() : settleGroup(left);
  }

  private static boolean exists(Session session, Name table) throws SQLException {
    List<Long> found =
        session.run(
            BoundStatement.query(
                "look for a ledger segment",
                DiscoverySql.LOOK_FOR_TABLES.text(),
                row -> row.getLong(1),
                table.first(),
                table.last()));
    return found.get(0) > 0;
  }

  /**
   * Closes batches whose tasks all succeeded. Nothing that is written depends on the answer of
   * CLOSE, so it shares the flush of the COMMIT.
   */
  private SettleReport closeGroup(String purpose, List<Settlement> settlements)
      throws SQLException {
    Group group = Group.of(settlements.get(0));
    long[] closing = Settlement.batches(settlements, Settlement::closing);
    Set<Long> open = new HashSet<>();
    boolean unused =
        database.tryTransaction(
            purpose,
            session -> {
              open.clear();
              session.prepend(closing(group, settlements).map(open::addAll));
              return true;
            });
    SettleReport settled = new SettleReport();
    settled.addOwned(open);
    if (open.size() < closing.length) {
      settled.addOwned(
          database.transaction(purpose, session -> settledBefore(session, group, closing, open)));
    }
    return settled;
  }

  private SettleReport settleGroupIn(Session session, List<Settlement> settlements)
      throws SQLException {
    Group group = Group.of(settlements.get(0));
    long[] closing = Settlement.batches(settlements, Settlement::closing);
    Set<Long> open = new HashSet<>();
    if (closing.length > 0) {
      open.addAll(session.run(closing(group, settlements)));
    }
    long[] continuing = Settlement.batches(settlements, one -> !one.closing());
    if (continuing.length > 0) {
      open.addAll(session.run(fencing(group, continuing)));
    }
    List<Settlement> valid =
        settlements.stream().filter(settlement -> open.contains(settlement.batch().id())).toList();
    SettleReport settled = new SettleReport();
    writeExceptions(session, extensions.settling(session, valid, settled));
    settled.addOwned(open);
    settled.addOwned(settledBefore(session, group, closing, open));
    return settled;
  }

  private BoundStatement<List<Long>> closing(Group group, List<Settlement> settlements) {
    List<Settlement> closing =
        settlements.stream()
            .filter(Settlement::closing)
            .sorted(Comparator.comparingLong(settlement -> settlement.batch().id()))
            .toList();
    return BatchLocation.closing(
        registry.onLedger(BatchLocation.CLOSE_BATCHES, group.ledger()),
        BatchEnd.SETTLED,
        group.worker(),
        closing.stream().mapToLong(settlement -> settlement.batch().id()).toArray(),
        closing.stream().mapToLong(Settlement::runMicros).toArray());
  }

  private BoundStatement<List<Long>> fencing(Group group, long[] ids) {
    return batches(BatchLocation.FENCE_BATCHES, group, ids, group.worker());
  }

  /**
   * Finds batches that were settled before. Only the holder settles, so a settled batch is one
   * whose answer was lost.
   */
  private List<Long> settledBefore(Session session, Group group, long[] closing, Set<Long> open)
      throws SQLException {
    long[] missing = Arrays.stream(closing).filter(id -> !open.contains(id)).toArray();
    short end = BatchEnd.SETTLED.code();
    return missing.length == 0
        ? List.of()
        : session.run(batches(LOOK_UP_BATCHES, group, missing, group.worker(), end));
  }

  /** A statement on the ledger of a group that returns the ids of batches. */
  private BoundStatement<List<Long>> batches(
      Sql statement, Group group, @Nullable Object... binds) {
    String sql = registry.onLedger(statement, group.ledger());
    return BoundStatement.query(statement.call(), sql, row -> row.getLong(1), binds);
  }

  private void writeExceptions(Session session, List<Settlement> settlements) throws SQLException {
    OutcomeStatements exceptions = new OutcomeStatements(registry.tables());
    EndedTasks endings = new EndedTasks();
    for (Settlement settlement : settlements) {
      exceptions.add(settlement.batch(), settlement.outcomes(), settlement.closing());
      endings.add(settlement.outcomes());
    }
    exceptions.write(session);
    exceptions.announce(session, doorbell);
    extensions.ended(session, endings);
  }
}
