package dev.rota.internal;

import dev.rota.Assignment;
import dev.rota.AssignmentResult;
import dev.rota.AssignmentResult.AlreadyAssigned;
import dev.rota.AssignmentResult.Assigned;
import dev.rota.AssignmentResult.Busy;
import dev.rota.AssignmentResult.Reason;
import dev.rota.internal.db.AssignmentSql;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.RepeatedSql;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.RowReader;
import dev.rota.internal.db.SqlTemplate;
import dev.rota.internal.db.TenantTables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/** One assignment pool and the calls that can be made to it. Thread-safe. */
final class Pool {

  private final TenantHandle tenant;
  private final Entry entry;
  private final Spots workers;
  private final Spots tasks;
  private final Map<String, QueryPart> parts = new HashMap<>();
  private final Map<SqlTemplate, RepeatedSql> texts = new ConcurrentHashMap<>();

  /** What the registry says of it. */
  record Entry(int number, String name, PoolKind kind) {}

  Pool(TenantHandle tenant, Entry entry, RotaTables rota, int lockNamespace) {
    this.tenant = tenant;
    this.entry = entry;
    this.workers = Spots.of(rota.schema(), entry.number(), Spots.WORKERS);
    this.tasks = Spots.of(rota.schema(), entry.number(), Spots.TASKS);
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

  TenantHandle tenant() {
    return tenant;
  }

  /** How error messages name it. */
  String label() {
    return "pool '" + entry.name() + "' of " + tenant.label();
  }

  /** Asks for a free one. */
  Call<List<Answer>> assign(long asker, long holder) {
    int start = Spots.random(ThreadLocalRandom.current());
    return repeated(
        AssignmentSql.ASSIGN,
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

  /** Asks for two that are given. */
  Call<List<Answer>> assignPair(long worker, long task, long holder) {
    return repeated(
        AssignmentSql.ASSIGN_PAIR,
        Answer::read,
        entry.number(),
        task,
        entry.number(),
        worker,
        task,
        tasks.lockKey(task),
        workers.lockKey(worker),
        entry.number(),
        worker,
        task,
        holder);
  }

  /** Ends an assignment, by one of the two statements that do; returns how many ended. */
  Call<List<Long>> end(SqlTemplate how, Assignment assignment) {
    return repeated(
        how, row -> row.getLong(1), entry.number(), assignment.task(), assignment.token());
  }

  /** Looks for the assignment of a worker or of a task. */
  Call<List<Assignment>> find(String side, long id) {
    Map<String, QueryPart> finding = new HashMap<>(parts);
    finding.put("side", DSL.name(side));
    return Call.query(
        AssignmentSql.FIND.call(),
        AssignmentSql.FIND.on(finding),
        row -> new Assignment(row.getLong(1), row.getLong(2), row.getLong(3)),
        entry.number(),
        id);
  }

  Call<List<Long>> countFree() {
    return repeated(AssignmentSql.COUNT_FREE, row -> row.getLong(1), entry.number());
  }

  /** Makes them known; the last one returns how many of them were too many. */
  List<Call<Integer>> add(Collection<Long> ids) {
    long[] known = inOrder(ids);
    int[] spots = givens().of(known);
    int number = entry.number();
    return List.of(
        change(AssignmentSql.KEEP, spots, known, number),
        change(AssignmentSql.ADD, number, spots, known, number),
        change(AssignmentSql.SORT_OUT, spots, known, number));
  }

  /** Takes them out; asked twice about those that are assigned, for those that were meanwhile. */
  List<Call<Integer>> remove(Collection<Long> ids) {
    long[] known = inOrder(ids);
    Call<Integer> letGo = change(AssignmentSql.LET_GO, entry.number(), known);
    return List.of(
        letGo, change(AssignmentSql.REMOVE, givens().of(known), known, entry.number()), letGo);
  }

  /** In one order for all processes, or two of them could wait for each other. */
  private static long[] inOrder(Collection<Long> ids) {
    return ids.stream().mapToLong(Long::longValue).sorted().distinct().toArray();
  }

  private Spots askers() {
    return entry.kind() == PoolKind.TASKS ? workers : tasks;
  }

  private Spots givens() {
    return entry.kind() == PoolKind.TASKS ? tasks : workers;
  }

  private Call<Integer> change(SqlTemplate template, Object... binds) {
    return Call.update(template.call(), template.on(parts), binds);
  }

  private <T> Call<List<T>> repeated(SqlTemplate template, RowReader<T> reader, Object... binds) {
    RepeatedSql text = texts.computeIfAbsent(template, wanted -> wanted.repeatedOn(parts));
    return Call.repeated(template.call(), text, reader, binds);
  }

  /**
   * A row of what a question is answered by.
   *
   * @param code one of those of {@link AssignmentSql}
   * @param assignment the new or older one, if the code speaks of one
   */
  record Answer(int code, Assignment assignment) {

    /** What it means to the one who asked. */
    AssignmentResult result() {
      return switch (code) {
        case AssignmentSql.ASSIGNED -> new Assigned(assignment);
        case AssignmentSql.HELD -> new AlreadyAssigned(assignment);
        case AssignmentSql.NONE_FREE -> new Busy(Reason.NONE_FREE);
        default -> new Busy(Reason.CONTENDED);
      };
    }

    static Answer read(ResultSet row) throws SQLException {
      return new Answer(
          row.getInt(1), new Assignment(row.getLong(2), row.getLong(3), row.getLong(4)));
    }
  }
}
