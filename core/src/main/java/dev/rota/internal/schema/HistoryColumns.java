package dev.rota.internal.schema;

import static dev.rota.internal.schema.HistoryColumn.bigint;
import static dev.rota.internal.schema.HistoryColumn.integer;
import static dev.rota.internal.schema.HistoryColumn.smallint;
import static dev.rota.internal.schema.HistoryColumn.text;
import static dev.rota.internal.schema.HistoryColumn.time;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.internal.text.ErrorText;
import dev.rota.internal.text.HeaderLine;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.Record;

/**
 * The columns of history, wherever it is stored, and how to read those of a tenant's two views. No
 * other class lists them.
 */
public final class HistoryColumns {

  /** Of a segment. */
  public static final List<HistoryColumn> OF_SEGMENT =
      List.of(
          bigint("id"),
          bigint("batch_id"),
          time("created_at"),
          bigint("parent_id"),
          time("finished_at"),
          integer("attempt"),
          smallint("state"),
          text("kind"),
          text("payload"),
          text("error"),
          text("key"),
          integer("traits"),
          smallint("lane"));

  /** Of a file of the archive; see docs/history.md. */
  public static final List<HistoryColumn> OF_FILE =
      List.of(
          bigint("id"),
          bigint("batch_id"),
          bigint("parent_id"),
          integer("attempt"),
          text("state"),
          text("kind"),
          text("payload"),
          text("error"),
          text("key"),
          integer("priority"),
          smallint("lane"),
          integer("traits"),
          bigint("worker"),
          time("created_at"),
          time("claimed_at"),
          time("finished_at"));

  /** Of the view of all attempts, which stands over segments, and of what reads the archive. */
  public static final List<HistoryColumn> OF_VIEW =
      List.of(
          bigint("id"),
          text("state"),
          integer("attempt"),
          text("kind"),
          text("payload"),
          bigint("parent_id"),
          time("created_at"),
          time("claimed_at"),
          time("finished_at"),
          text("error"),
          bigint("batch_id"),
          integer("segment"),
          bigint("worker"),
          text("key"),
          integer("priority"),
          text("headers"));

  public static final Field<Long> ID = field(name("id"), Long.class);
  public static final Field<String> STATE = field(name("state"), String.class);
  public static final Field<Integer> ATTEMPT = field(name("attempt"), Integer.class);
  public static final Field<String> KIND = field(name("kind"), String.class);
  public static final Field<String> PAYLOAD = field(name("payload"), String.class);
  public static final Field<String> HEADERS = field(name("headers"), String.class);
  public static final Field<Integer> PRIORITY = field(name("priority"), Integer.class);
  public static final Field<String> KEY = field(name("key"), String.class);
  public static final Field<OffsetDateTime> CREATED_AT =
      field(name("created_at"), OffsetDateTime.class);
  public static final Field<OffsetDateTime> RUN_AT = field(name("run_at"), OffsetDateTime.class);
  public static final Field<OffsetDateTime> CLAIMED_AT =
      field(name("claimed_at"), OffsetDateTime.class);
  public static final Field<OffsetDateTime> FINISHED_AT =
      field(name("finished_at"), OffsetDateTime.class);
  public static final Field<String> ERROR = field(name("error"), String.class);
  public static final Field<Integer> SEGMENT = field(name("segment"), Integer.class);
  public static final Field<Long> BATCH_ID = field(name("batch_id"), Long.class);

  /** The columns of an attempt in history. */
  public static final List<Field<?>> OF_ATTEMPT =
      List.of(
          ID,
          STATE,
          ATTEMPT,
          KIND,
          PAYLOAD,
          HEADERS,
          KEY,
          PRIORITY,
          CREATED_AT,
          CLAIMED_AT,
          FINISHED_AT,
          ERROR);

  /** The columns of an attempt, with those by which pages are ordered. */
  public static final List<Field<?>> OF_PAGE =
      Stream.concat(OF_ATTEMPT.stream(), Stream.of(SEGMENT, BATCH_ID)).toList();

  private HistoryColumns() {}

  /** Columns in SQL, each written in a way, in their order. */
  public static String joined(List<HistoryColumn> columns, Function<HistoryColumn, String> way) {
    return columns.stream().map(way).collect(Collectors.joining(", "));
  }

  public static String label(TaskState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  public static TaskState state(String label) {
    return TaskState.valueOf(label.toUpperCase(Locale.ROOT));
  }

  public static Attempt read(Record row) {
    return new StoredAttempt(row);
  }

  private record StoredAttempt(Record row) implements Attempt {

    @Override
    public long taskId() {
      return or(ID, 0L);
    }

    @Override
    public String kind() {
      return or(KIND, "");
    }

    @Override
    public String payload() {
      return or(PAYLOAD, "");
    }

    @Override
    public Map<String, String> headers() {
      return Optional.ofNullable(row.get(HEADERS)).flatMap(HeaderLine::read).orElse(Map.of());
    }

    @Override
    public Optional<String> key() {
      return Optional.ofNullable(row.get(KEY));
    }

    @Override
    public int priority() {
      return or(PRIORITY, 0);
    }

    @Override
    public int number() {
      return or(ATTEMPT, 0);
    }

    @Override
    public TaskState state() {
      return HistoryColumns.state(row.get(STATE));
    }

    @Override
    public Instant createdAt() {
      return instant(CREATED_AT).orElse(Instant.EPOCH);
    }

    /** Returns the due time; rows of history alone have no such column. */
    @Override
    public Optional<Instant> runAt() {
      return row.indexOf(RUN_AT) < 0 ? Optional.empty() : instant(RUN_AT);
    }

    @Override
    public Optional<Instant> claimedAt() {
      return instant(CLAIMED_AT);
    }

    @Override
    public Optional<Instant> finishedAt() {
      return instant(FINISHED_AT);
    }

    @Override
    public Optional<String> error() {
      return Optional.ofNullable(row.get(ERROR)).map(ErrorText::said);
    }

    @Override
    public Optional<String> stack() {
      return Optional.ofNullable(row.get(ERROR)).flatMap(ErrorText::stack);
    }

    /** Returns a value, or a default for a null, which other programs may have inserted. */
    private <T> T or(Field<T> field, T instead) {
      T value = row.get(field);
      return value == null ? instead : value;
    }

    private Optional<Instant> instant(Field<OffsetDateTime> time) {
      return Optional.ofNullable(row.get(time)).map(OffsetDateTime::toInstant);
    }

    @Override
    public String toString() {
      return "attempt " + number() + " of task " + taskId() + ": " + state();
    }
  }
}
