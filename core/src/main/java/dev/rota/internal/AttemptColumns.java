package dev.rota.internal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;

import dev.rota.Attempt;
import dev.rota.TaskState;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** The columns of a tenant's two views, and how to read them. */
final class AttemptColumns {

  static final Field<Long> ID = field(name("id"), Long.class);
  static final Field<String> STATE = field(name("state"), String.class);
  static final Field<Integer> ATTEMPT = field(name("attempt"), Integer.class);
  static final Field<String> KIND = field(name("kind"), String.class);
  static final Field<String> PAYLOAD = field(name("payload"), String.class);
  static final Field<OffsetDateTime> CREATED_AT = field(name("created_at"), OffsetDateTime.class);
  static final Field<OffsetDateTime> CLAIMED_AT = field(name("claimed_at"), OffsetDateTime.class);
  static final Field<OffsetDateTime> FINISHED_AT = field(name("finished_at"), OffsetDateTime.class);
  static final Field<String> ERROR = field(name("error"), String.class);
  static final Field<Integer> SEGMENT = field(name("segment"), Integer.class);

  private AttemptColumns() {}

  static String label(TaskState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  static TaskState state(String label) {
    return TaskState.valueOf(label.toUpperCase(Locale.ROOT));
  }

  /** An attempt that was claimed. */
  static Attempt claimed(Record row) {
    return new Row(
        row, row.get(ATTEMPT), instant(row.get(CLAIMED_AT)), instant(row.get(FINISHED_AT)));
  }

  /** The attempt that a pending or waiting task has before it. */
  static Attempt toCome(Record row) {
    return new Row(row, row.get(ATTEMPT) + 1, null, null);
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  private record Row(Record row, int number, @Nullable Instant claimed, @Nullable Instant finished)
      implements Attempt {

    @Override
    public long taskId() {
      return row.get(ID);
    }

    @Override
    public String kind() {
      return row.get(KIND);
    }

    @Override
    public String payload() {
      return row.get(PAYLOAD);
    }

    @Override
    public TaskState state() {
      return AttemptColumns.state(row.get(STATE));
    }

    @Override
    public Instant createdAt() {
      return row.get(CREATED_AT).toInstant();
    }

    @Override
    public Optional<Instant> claimedAt() {
      return Optional.ofNullable(claimed);
    }

    @Override
    public Optional<Instant> finishedAt() {
      return Optional.ofNullable(finished);
    }

    @Override
    public Optional<String> error() {
      return row.field(ERROR) == null ? Optional.empty() : Optional.ofNullable(row.get(ERROR));
    }

    @Override
    public String toString() {
      return "attempt " + number + " of task " + taskId() + ": " + state();
    }
  }
}
