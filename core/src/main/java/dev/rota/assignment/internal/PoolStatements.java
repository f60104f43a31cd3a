package dev.rota.assignment.internal;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.AssignmentResult.AlreadyAssigned;
import dev.rota.assignment.AssignmentResult.Assigned;
import dev.rota.assignment.AssignmentResult.Busy;
import dev.rota.assignment.AssignmentResult.Reason;
import dev.rota.assignment.internal.AssignmentTransactions.SharedStatement;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowReader;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.SafeText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/** The statements of one assignment pool. Thread-safe. */
public final class PoolStatements {

  private static final Sql ASSIGN = Sql.named("assign");
  private static final Sql ASSIGN_PAIRS = Sql.named("assign_pairs");
  private static final Sql FIND_ASSIGNMENT = Sql.named("find_assignment");
  private static final Sql RELEASE_ASSIGNMENT = Sql.named("release_assignment");
  private static final Sql FINISH_ASSIGNMENT = Sql.named("finish_assignment");
  private static final Sql AWAIT_CHANGE_OF_MEMBERSHIP = Sql.named("await_change_of_membership");
  private static final Sql LOCK_MEMBERSHIP = Sql.named("lock_membership");
  private static final Sql ADD_TO_POOL = Sql.named("add_to_pool");
  private static final Sql KEEP_ASSIGNED = Sql.named("keep_assigned");
  private static final Sql REMOVE_FREE = Sql.named("remove_free");
  private static final Sql LET_ASSIGNED_GO = Sql.named("let_assigned_go");
  private static final Sql COUNT_FREE = Sql.named("count_free");

  /**
   * The range of the lock keys of membership: above the second keys of workers and tasks, and below
   * those of the daemon's duties.
   */
  private static final int MEMBERSHIP_KEYS = -(1 << PoolSlots.BITS);

  private final TenantRef tenant;
  private final Entry entry;
  private final PoolSlots workers;
  private final PoolSlots tasks;
  private final Map<String, QueryPart> parts = new HashMap<>();
  private final Map<Sql, String> texts = new ConcurrentHashMap<>();

  /** Assigns a given worker to a given task. */
  final SharedStatement<Pair, Answer> pairing = this::assignPairs;

  /** Ends an assignment, which makes its known member free again; false if it had ended before. */
  final SharedStatement<Assignment, Boolean> releasing = held -> end(RELEASE_ASSIGNMENT, held);

  /** Ends an assignment for good; false if it had ended before. */
  final SharedStatement<Assignment, Boolean> finishing = held -> end(FINISH_ASSIGNMENT, held);

  /** A worker and a task to assign, and the holding process. */
  record Pair(long worker, long task, long holder) {}

  /**
   * A row that answers a question to an assignment pool.
   *
   * @param code the first column of the answer
   * @param assignment the new or older one, if the code speaks of one
   */
  record Answer(int code, Assignment assignment) {

    /** The worker and the task are assigned to each other. */
    private static final int ASSIGNED = 1;

    /** The worker or the task is in the assignment that is returned. */
    private static final int HELD = 2;

    /** No free member was left. */
    private static final int NONE_FREE = 3;

    /** Another transaction decided after this statement had begun: ask again. */
    static final int RACED = 5;

    /** What it means to the caller. */
    AssignmentResult result() {
      return switch (code) {
        case ASSIGNED -> new Assigned(assignment);
        case HELD -> new AlreadyAssigned(assignment);
        case NONE_FREE -> new Busy(Reason.NONE_FREE);
        default -> new Busy(Reason.CONTENDED);
      };
    }

    private static Answer read(ResultSet row) throws SQLException {
      return new Answer(
          row.getInt(1), new Assignment(row.getLong(2), row.getLong(3), row.getLong(4)));
    }
  }

  /** What the registry says of it. */
  record Entry(int number, String name, PoolKind kind) {}

  PoolStatements(TenantRef tenant, Entry entry, RegistryTables rota, int lockNamespace) {
    this.tenant = tenant;
    this.entry = entry;
    this.workers = PoolSlots.of(rota.schema(), entry.number(), PoolSlots.WORKERS);
    this.tasks = PoolSlots.of(rota.schema(), entry.number(), PoolSlots.TASKS);
    TenantTables tables = tenant.tables();
    boolean ofTasks = entry.kind() == PoolKind.TASKS;
    parts.put("assignments", tables.assignments());
    parts.put("free", tables.free());
    parts.put("namespace", DSL.inline(lockNamespace));
    parts.put("tokens", DSL.inline(rota.sequence("assignment_token")));
    parts.put("asker", DSL.name(ofTasks ? "worker" : "task"));
    parts.put("given", DSL.name(ofTasks ? "task" : "worker"));
  }

  String name() {
    return entry.name();
  }

  PoolKind kind() {
    return entry.kind();
  }

  TenantRef tenant() {
    return tenant;
  }

  /** The name of the pool in error messages. */
  String label() {
    return "pool '" + SafeText.whole(entry.name()) + "' of " + tenant.label();
  }

  /** Requests a free member. */
  BoundStatement<List<Answer>> assign(long asker, long holder) {
    int start = PoolSlots.random(ThreadLocalRandom.current());
    return repeated(
        ASSIGN,
        Answer::read,
        entry.number(),
        asker,
        askers().lockKey(asker),
        entry.number(),
        start,
        entry.number(),
        start,
        entry.number(),
        asker,
        holder);
  }

  private BoundStatement<List<Answer>> assignPairs(List<Pair> pairs) {
    long[] wanted = pairs.stream().mapToLong(Pair::worker).toArray();
    long[] asking = pairs.stream().mapToLong(Pair::task).toArray();
    return repeated(
        ASSIGN_PAIRS,
        Answer::read,
        wanted,
        asking,
        workers.lockKeys(wanted),
        tasks.lockKeys(asking),
        pairs.stream().mapToLong(Pair::holder).toArray(),
        entry.number(),
        entry.number(),
        entry.number());
  }

  /** Ends assignments. If several callers end the same one, only the first gets true. */
  private BoundStatement<List<Boolean>> end(Sql how, List<Assignment> assignments) {
    return repeated(
            how,
            row -> row.getLong(1),
            assignments.stream().mapToLong(Assignment::task).toArray(),
            assignments.stream().mapToLong(Assignment::token).toArray(),
            entry.number())
        .map(
            tokens -> {
              Set<Long> ended = new HashSet<>(tokens);
              return assignments.stream().map(each -> ended.remove(each.token())).toList();
            });
  }

  /**
   * Waits for a concurrent change of the membership, if one kept an assignment from being ended.
   */
  BoundStatement<List<Boolean>> awaitChange(Assignment assignment) {
    long task = assignment.task();
    long token = assignment.token();
    return BoundStatement.query(
        AWAIT_CHANGE_OF_MEMBERSHIP.call(),
        AWAIT_CHANGE_OF_MEMBERSHIP.on(parts),
        row -> true,
        entry.number(),
        task,
        token,
        entry.number(),
        task,
        token);
  }

  /** Finds the assignment of a worker or of a task. */
  BoundStatement<List<Assignment>> find(String side, long id) {
    Map<String, QueryPart> finding = new HashMap<>(parts);
    finding.put("side", DSL.name(side));
    return BoundStatement.query(
        FIND_ASSIGNMENT.call(),
        FIND_ASSIGNMENT.on(finding),
        row -> new Assignment(row.getLong(1), row.getLong(2), row.getLong(3)),
        entry.number(),
        id);
  }

  BoundStatement<List<Long>> countFree() {
    return repeated(COUNT_FREE, row -> row.getLong(1), entry.number());
  }

  /** Locks the membership; sent ahead of {@link #add} and {@link #remove}. */
  BoundStatement<List<Boolean>> lockMembership() {
    return BoundStatement.query(
        LOCK_MEMBERSHIP.call(),
        LOCK_MEMBERSHIP.on(parts),
        row -> true,
        MEMBERSHIP_KEYS + entry.number());
  }

  /** Adds members. */
  List<BoundStatement<Integer>> add(Collection<Long> ids) {
    long[] known = inOrder(ids);
    int[] spots = givens().of(known);
    int number = entry.number();
    return List.of(
        change(KEEP_ASSIGNED, spots, known, number),
        change(ADD_TO_POOL, number, spots, known, number, number));
  }

  /**
   * Removes members. The statement runs twice, the second time for members that were assigned
   * meanwhile.
   */
  List<BoundStatement<Integer>> remove(Collection<Long> ids) {
    long[] known = inOrder(ids);
    BoundStatement<Integer> letGo = change(LET_ASSIGNED_GO, entry.number(), known);
    return List.of(letGo, change(REMOVE_FREE, givens().of(known), known, entry.number()), letGo);
  }

  /** Removes duplicates and sorts the ids in the order of the index. */
  private static long[] inOrder(Collection<Long> ids) {
    return ids.stream().mapToLong(Long::longValue).sorted().distinct().toArray();
  }

  private PoolSlots askers() {
    return entry.kind() == PoolKind.TASKS ? workers : tasks;
  }

  private PoolSlots givens() {
    return entry.kind() == PoolKind.TASKS ? tasks : workers;
  }

  private BoundStatement<Integer> change(Sql template, Object... binds) {
    return BoundStatement.update(template.call(), template.on(parts), binds);
  }

  private <T> BoundStatement<List<T>> repeated(Sql template, RowReader<T> reader, Object... binds) {
    String text = texts.computeIfAbsent(template, wanted -> wanted.on(parts));
    return BoundStatement.query(template.call(), text, reader, binds);
  }
}
