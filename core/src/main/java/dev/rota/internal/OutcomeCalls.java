package dev.rota.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.HistorySql;
import dev.rota.internal.db.SqlTemplate;
import dev.rota.internal.db.StateCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Turns outcomes into statements: one for each segment of history and each thing to be done. */
final class OutcomeCalls {

  private final Map<Key, List<Outcome>> groups = new LinkedHashMap<>();

  /**
   * Adds outcomes of a batch.
   *
   * @param closing whether the batch ends with them: what is done is then done with its batch
   */
  OutcomeCalls add(ClaimedBatch batch, List<Outcome> outcomes, boolean closing) {
    for (Outcome outcome : outcomes) {
      if (closing && outcome.isDone()) {
        continue;
      }
      SqlTemplate statement = statementFor(outcome.state());
      int lane = statement == HistorySql.RELEASE ? outcome.task().lane() : 0;
      Key key = new Key(batch.tenant(), batch.row().segment(), statement, lane);
      groups.computeIfAbsent(key, unused -> new ArrayList<>()).add(outcome);
    }
    return this;
  }

  List<Call<Integer>> calls() {
    List<Call<Integer>> calls = new ArrayList<>();
    groups.forEach((key, outcomes) -> calls.add(call(key, outcomes)));
    return calls;
  }

  private static SqlTemplate statementFor(StateCode state) {
    return switch (state) {
      case FAILED -> HistorySql.RETRY;
      case RELEASED -> HistorySql.RELEASE;
      case DONE, DEAD, CANCELLED -> HistorySql.MARK;
      case AS_BATCH, LOST ->
          throw new IllegalArgumentException(state + " is not an outcome that a worker reports");
    };
  }

  private static Call<Integer> call(Key key, List<Outcome> outcomes) {
    int count = outcomes.size();
    String[] places = new String[count];
    long[] ids = new long[count];
    short[] states = new short[count];
    String[] errors = new String[count];
    long[] pauses = new long[count];
    for (int i = 0; i < count; i++) {
      Outcome outcome = outcomes.get(i);
      places[i] = outcome.task().place().toString();
      ids[i] = outcome.task().id();
      states[i] = outcome.state().code();
      errors[i] = outcome.error();
      pauses[i] = micros(outcome.pause());
    }
    return Call.update(key.statement.call(), key.sql(), places, ids, states, errors, pauses);
  }

  private static long micros(Duration pause) {
    return pause.toSeconds() * 1_000_000L + pause.toNanosPart() / 1_000;
  }

  private record Key(TenantHandle tenant, int segment, SqlTemplate statement, int lane) {

    String sql() {
      if (statement == HistorySql.RETRY) {
        return tenant.retrySql(segment);
      }
      return statement == HistorySql.RELEASE
          ? tenant.releaseSql(segment, tenant.state().lanes().get(lane).currentSlot())
          : tenant.markSql(segment);
    }
  }
}
