package dev.rota.internal.settle;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.enqueue.TaskInserts;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Translates outcomes into statements: one for each segment of history and each kind of change, or
 * several if their texts are long. Used by one thread.
 */
final class OutcomeStatements {

  private static final Sql MARK = Sql.named("mark");
  private static final Sql RETRY = Sql.named("retry");
  private static final Sql RELEASE = Sql.named("release");
  private static final Sql MOVE = Sql.named("move");
  private static final Sql MOVE_DELAYED = Sql.named("move_delayed");

  private final RegistryTables tables;
  private final Map<Key, List<Outcome>> groups = new LinkedHashMap<>();

  OutcomeStatements(RegistryTables tables) {
    this.tables = tables;
  }

  /**
   * Adds outcomes of a batch.
   *
   * @param closing whether the batch ends with them: done tasks are then done with their batch
   */
  OutcomeStatements add(ClaimedBatch batch, List<Outcome> outcomes, boolean closing) {
    for (Outcome outcome : outcomes) {
      if (closing && outcome.isDone()) {
        continue;
      }
      Sql statement = statementFor(batch.tenant(), outcome);
      int lane = intoRing(statement) ? outcome.task().lane() : 0;
      Name ledger = statement == RELEASE ? tables.ledger(batch.row().ledger()) : null;
      Key key = new Key(batch.tenant(), batch.row().segment(), statement, lane, ledger);
      groups.computeIfAbsent(key, unused -> new ArrayList<>()).add(outcome);
    }
    return this;
  }

  /** Writes the outcomes with one statement after the other. */
  void write(Session session) throws SQLException {
    for (Part part : parts()) {
      writeRest(session, part, session.run(part.call()));
    }
  }

  /** Writes the outcomes with all statements in one flush. */
  void writeTogether(Session session) throws SQLException {
    if (groups.isEmpty()) {
      return;
    }
    List<Part> parts = parts();
    Iterator<Integer> written = session.runAll(parts.stream().map(Part::call).toList()).iterator();
    for (Part part : parts) {
      writeRest(session, part, written.next());
    }
  }

  /** The outcomes of one statement. */
  private record Part(Key key, List<Outcome> outcomes) {
    BoundStatement<Integer> call() {
      return OutcomeStatements.call(key, outcomes);
    }
  }

  private List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    groups.forEach(
        (key, outcomes) ->
            TaskInserts.chunksBySize(outcomes, Outcome::characters)
                .forEach(chunk -> parts.add(new Part(key, chunk))));
    return parts;
  }

  /**
   * Writes the outcomes whose rows were not at their locations: the rows have moved, or were
   * settled before.
   */
  private static void writeRest(Session session, Part part, int written) throws SQLException {
    if (written >= part.outcomes.size()) {
      return;
    }
    RowFinder finder = new RowFinder(session, part.key.tenant, part.key.segment);
    List<Outcome> rest = finder.unsettled(part.outcomes);
    if (!rest.isEmpty() && session.run(call(part.key, rest)) < rest.size()) {
      throw finder.unreachable(rest.stream().map(one -> one.task().batch()).distinct().toList());
    }
  }

  /** Notifies workers, once the transaction has committed, of tasks that are pending again. */
  void announce(Session session, Doorbell doorbell) {
    groups.keySet().stream()
        .filter(key -> key.statement == MOVE)
        .map(key -> key.tenant.number())
        .distinct()
        .forEach(tenant -> session.afterCommit(() -> doorbell.ring(tenant)));
  }

  private static Sql statementFor(TenantRef tenant, Outcome outcome) {
    Outcome.Requeue requeue = outcome.requeue();
    if (requeue != null) {
      return outcome.pause().isZero() && fits(tenant, requeue.payload()) ? MOVE : MOVE_DELAYED;
    }
    return switch (outcome.state()) {
      case FAILED -> RETRY;
      case RELEASED -> RELEASE;
      case DONE, DEAD, CANCELLED -> MARK;
      case AS_BATCH, LOST ->
          throw new IllegalArgumentException(
              outcome.state() + " is not an outcome that a worker reports");
    };
  }

  /** Whether the slots can hold a payload; one that stays as it is came out of them. */
  private static boolean fits(TenantRef tenant, @Nullable String payload) {
    return payload == null || tenant.state().lanes().fit(payload);
  }

  private static BoundStatement<Integer> call(Key key, List<Outcome> outcomes) {
    return outcomes.get(0).requeue() == null
        ? ofExceptions(key, outcomes)
        : ofRequeued(key, outcomes);
  }

  private static BoundStatement<Integer> ofRequeued(Key key, List<Outcome> outcomes) {
    int count = outcomes.size();
    String[] places = new String[count];
    long[] batches = new long[count];
    long[] ids = new long[count];
    String[] kinds = new String[count];
    String[] payloads = new String[count];
    long[] pauses = new long[count];
    for (int i = 0; i < count; i++) {
      Outcome outcome = outcomes.get(i);
      Outcome.Requeue requeue = Objects.requireNonNull(outcome.requeue());
      places[i] = outcome.task().place().toString();
      batches[i] = outcome.task().batch();
      ids[i] = outcome.task().id();
      kinds[i] = requeue.kind();
      payloads[i] = requeue.payload();
      pauses[i] = TaskInserts.micros(outcome.pause());
    }
    return BoundStatement.update(
        key.statement.call(), key.sql(), places, batches, ids, kinds, payloads, pauses);
  }

  private static BoundStatement<Integer> ofExceptions(Key key, List<Outcome> outcomes) {
    int count = outcomes.size();
    String[] places = new String[count];
    long[] batches = new long[count];
    long[] ids = new long[count];
    short[] states = new short[count];
    String[] errors = new String[count];
    long[] pauses = new long[count];
    for (int i = 0; i < count; i++) {
      Outcome outcome = outcomes.get(i);
      places[i] = outcome.task().place().toString();
      batches[i] = outcome.task().batch();
      ids[i] = outcome.task().id();
      states[i] = outcome.state().code();
      errors[i] = outcome.error();
      pauses[i] = TaskInserts.micros(outcome.pause());
    }
    return key.statement == RELEASE
        ? BoundStatement.update(
            RELEASE.call(), key.sql(), places, batches, ids, states, errors, pauses, batches)
        : BoundStatement.update(
            key.statement.call(), key.sql(), places, batches, ids, states, errors, pauses);
  }

  /** Whether the statement returns its tasks to the ring of their lane. */
  private static boolean intoRing(Sql statement) {
    return statement == RELEASE || statement == MOVE;
  }

  /**
   * The statement of some outcomes.
   *
   * @param ledger the segment of the ledger, for tasks that do not count as attempts
   */
  private record Key(
      TenantRef tenant, int segment, Sql statement, int lane, @Nullable Name ledger) {

    String sql() {
      if (ledger != null) {
        return statement.on(
            Map.of(
                "segment", tenant.tables().segment(segment),
                "slot", tenant.tables().slot(currentSlot()),
                "ledger", ledger));
      }
      return intoRing(statement)
          ? tenant.statements().onSegment(statement, segment, currentSlot())
          : tenant.statements().onSegment(statement, segment);
    }

    private int currentSlot() {
      return tenant.state().lanes().get(lane).currentSlot();
    }
  }
}
