package dev.rota.internal.settle;

import dev.rota.FatalTaskException;
import dev.rota.RetryAfterException;
import dev.rota.RetryPolicy;
import dev.rota.Task;
import dev.rota.TaskCancelledException;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.log.Logs;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.text.ErrorText;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A claimed task with the location of its row in history. */
public final class ClaimedTask implements Task {

  /** The bytes of a task without its payload: its objects, its location and its times. */
  private static final int OVERHEAD = 256;

  private final Origin origin;
  private final RowId place;
  private final Numbers numbers;
  private final Contents contents;

  public ClaimedTask(Origin origin, RowId place, Numbers numbers, Contents contents) {
    this.origin = origin;
    this.place = place;
    this.numbers = numbers;
    this.contents = contents;
  }

  /** A row that no worker can run. */
  public static ClaimedTask odd(Origin origin, RowId place, PriorityLanes.Lane lane) {
    Numbers numbers = new Numbers(0, Instant.EPOCH, OptionalLong.empty(), 0, lane);
    return new ClaimedTask(origin, place, numbers, Contents.of("", "", null, 0));
  }

  /** Whether the task can be neither run nor shown to users, and has to be set aside. */
  public boolean isOdd() {
    return numbers.attempt() == 0;
  }

  /** Returns a copy with an attachment of a feature, and with another payload unless null. */
  public ClaimedTask with(Attachment attachment, @Nullable String newPayload) {
    Marks marks = new Marks(contents.marks().key(), traits(), attachment);
    String present = newPayload == null ? stored() : newPayload;
    return new ClaimedTask(origin, place, numbers, new Contents(kind(), present, marks));
  }

  /** Returns a copy after its row has moved. */
  public ClaimedTask at(RowId newPlace) {
    return new ClaimedTask(origin, newPlace, numbers, contents);
  }

  @Override
  public long id() {
    return numbers.id();
  }

  @Override
  public String tenant() {
    return origin.tenant.state().name();
  }

  @Override
  public String kind() {
    return contents.kind();
  }

  @Override
  public String payload() {
    return StoredText.payload(stored());
  }

  @Override
  public Map<String, String> headers() {
    return StoredText.headers(stored());
  }

  /** The payload with its headers, as it stands in history. */
  public String stored() {
    return contents.stored();
  }

  @Override
  public int attempt() {
    return numbers.attempt();
  }

  @Override
  public OptionalLong parentId() {
    return numbers.parentId();
  }

  @Override
  public Instant createdAt() {
    return numbers.createdAt();
  }

  @Override
  public int priority() {
    return numbers.lane().priority();
  }

  /** The lane from which it was claimed, and to which it returns. */
  public int lane() {
    return numbers.lane().number();
  }

  /** The key of the task, or null. */
  @Nullable
  public String key() {
    return contents.marks().key();
  }

  /** Bits of {@link TaskFlags}. */
  public int traits() {
    return contents.marks().traits();
  }

  /** The attachment of a feature from the claim, or null. */
  @Nullable Attachment attachment() {
    return contents.marks().attachment();
  }

  /** The memory that it takes in bytes, approximately. */
  public long bytes() {
    return OVERHEAD + 2L * stored().length();
  }

  /** Whether features have to be called at its end. */
  public boolean isMarked() {
    return key() != null || traits() != 0;
  }

  @Override
  public boolean isCancelled() {
    return origin.cancelCheck.isRequested(origin.batch, id());
  }

  TenantRef handle() {
    return origin.tenant;
  }

  public int tenantNumber() {
    return origin.tenant.number();
  }

  /** The number of its batch. */
  public long batch() {
    return origin.batch;
  }

  /** The location of the task in the segment of its batch when it was claimed. */
  public RowId place() {
    return place;
  }

  @Override
  public String toString() {
    return "task "
        + id()
        + " ("
        + kind()
        + ", attempt "
        + attempt()
        + ") of "
        + origin.tenant.label();
  }

  /** Tells whether cancellation of a running task was requested. Thread-safe. */
  @FunctionalInterface
  public interface CancelCheck {

    /** The check for tasks that support no requests. */
    CancelCheck NEVER = (batch, task) -> false;

    /** Whether cancellation of a task of a batch of this process was requested. */
    boolean isRequested(long batch, long task);
  }

  /**
   * The properties that the tasks of a batch share.
   *
   * @param tenant their tenant
   * @param batch the number of the batch
   * @param cancelCheck tells whether cancellation of one of them was requested
   */
  public record Origin(TenantRef tenant, long batch, CancelCheck cancelCheck) {}

  /**
   * The contents of a task.
   *
   * @param kind its kind
   * @param stored its payload with its headers, see {@link StoredText}
   * @param marks what features know it by
   */
  public record Contents(String kind, String stored, Marks marks) {
    public static Contents of(String kind, String stored, @Nullable String key, int traits) {
      return new Contents(kind, stored, Marks.of(key, traits));
    }
  }

  /** Data that a feature keeps with a claimed task until it ends; only that feature reads it. */
  public interface Attachment {}

  public record Marks(@Nullable String key, int traits, @Nullable Attachment attachment) {
    static final Marks NONE = new Marks(null, 0, null);

    static Marks of(@Nullable String key, int traits) {
      return key == null && traits == 0 ? NONE : new Marks(key, traits, null);
    }
  }

  public record Numbers(
      long id, Instant createdAt, OptionalLong parentId, int attempt, PriorityLanes.Lane lane) {}

  /**
   * The outcome of one task of a batch, where that is not simply "done with its batch".
   *
   * @param task the task
   * @param state the state in its row of history
   * @param error the error text, if it failed
   * @param pause the wait of a task that failed, or that is enqueued again
   * @param requeue the task that is enqueued again, if it is done here and continues
   */
  public record Outcome(
      ClaimedTask task,
      AttemptStateCode state,
      @Nullable String error,
      Duration pause,
      @Nullable Requeue requeue) {

    private static final Logger log = Logs.of(Outcome.class);

    /** How the texts of errors begin that only their own task can have. */
    private static final String FATAL = FatalTaskException.class.getName();

    /** The longest pause; PostgreSQL supports no times after the year 294276. */
    private static final Duration LONGEST_PAUSE = Duration.ofDays(36_500);

    /** Creates the outcome of a task that does not continue. */
    Outcome(ClaimedTask task, AttemptStateCode state, @Nullable String error, Duration pause) {
      this(task, state, error, pause, null);
    }

    /**
     * The new task of a task that is done here and enqueued again.
     *
     * @param kind its new kind
     * @param payload its new payload; null to keep the present one
     */
    public record Requeue(String kind, @Nullable String payload) {}

    /**
     * Creates an outcome: done here, and pending again after a pause; its attempts begin again at
     * 1.
     */
    public static Outcome requeued(ClaimedTask task, Requeue requeue, Duration pause) {
      return new Outcome(task, AttemptStateCode.DONE, null, pause, requeue);
    }

    /** Creates an outcome: done, while its batch stays open. */
    public static Outcome done(ClaimedTask task) {
      return new Outcome(task, AttemptStateCode.DONE, null, Duration.ZERO);
    }

    /** Whether nothing needs to be written about the task once its batch is closed. */
    public boolean isDone() {
      return state == AttemptStateCode.DONE && requeue == null;
    }

    /** Whether its handler succeeded, also if the task continues. */
    public boolean isSuccess() {
      return state == AttemptStateCode.DONE;
    }

    /** Whether its handler failed, and may fail for other tasks as well. */
    public boolean isFault() {
      boolean fatal = error != null && error.startsWith(FATAL);
      return state == AttemptStateCode.FAILED || (state == AttemptStateCode.DEAD && !fatal);
    }

    /** Whether the outcome ends the task for good. */
    boolean isFinal() {
      return switch (state) {
        case DONE -> requeue == null;
        case DEAD, CANCELLED -> true;
        case AS_BATCH, FAILED, LOST, RELEASED -> false;
      };
    }

    /** The number of characters that it adds to those of its task. */
    int characters() {
      String payload = requeue == null ? null : requeue.payload();
      return (error == null ? 0 : error.length()) + (payload == null ? 0 : payload.length());
    }

    /** The memory that it takes beside its task in bytes, approximately. */
    public long bytes() {
      return 2L * characters();
    }

    /**
     * Creates an outcome: failed. The policy or the error itself decides whether the task is tried
     * again after a pause, or is dead.
     *
     * @param frames the frames that are kept with the error, see {@link ErrorText#frames}
     */
    public static Outcome failed(
        ClaimedTask task, Throwable error, String frames, RetryPolicy policy) {
      if (error instanceof TaskCancelledException) {
        return cancelled(task, String.valueOf(error.getMessage()));
      }
      String text = ErrorText.of(error) + frames;
      if (error instanceof FatalTaskException || !policy.retries(task.attempt())) {
        return new Outcome(task, AttemptStateCode.DEAD, text, Duration.ZERO);
      }
      Duration pause = error instanceof RetryAfterException e ? e.pause() : pause(task, policy);
      return new Outcome(task, AttemptStateCode.FAILED, text, possible(pause));
    }

    static Outcome retried(ClaimedTask task, String error, Duration pause) {
      return new Outcome(task, AttemptStateCode.FAILED, ErrorText.cut(error), possible(pause));
    }

    private static Duration possible(Duration pause) {
      return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    /** The pause of the policy. A broken back-off must not block its task, let alone the worker. */
    private static Duration pause(ClaimedTask task, RetryPolicy policy) {
      try {
        return policy.pauseAfter(task.attempt());
      } catch (RuntimeException | Error e) {
        log.warn("no back-off for {}, which waits as long as by default: {}", task, e.toString());
        return RetryPolicy.defaults().pauseAfter(task.attempt());
      }
    }

    /** Creates an outcome: failed, and not tried again. */
    public static Outcome dead(ClaimedTask task, String error) {
      return new Outcome(task, AttemptStateCode.DEAD, ErrorText.cut(error), Duration.ZERO);
    }

    /** Creates an outcome: cancelled. */
    static Outcome cancelled(ClaimedTask task, String reason) {
      return new Outcome(task, AttemptStateCode.CANCELLED, ErrorText.cut(reason), Duration.ZERO);
    }

    /** Returns the outcome of the same task after a cancel request: it does not run again. */
    public Outcome cancelledFor(String reason) {
      boolean failed = state == AttemptStateCode.FAILED && error != null;
      return cancelled(task, failed ? reason + "\nits handler failed: " + error : reason);
    }

    /** Returns the same outcome for the present location of its row. */
    Outcome at(RowId place) {
      return new Outcome(task.at(place), state, error, pause, requeue);
    }

    /** Creates an outcome: handed back before it began. */
    public static Outcome released(ClaimedTask task) {
      return new Outcome(task, AttemptStateCode.RELEASED, null, Duration.ZERO);
    }
  }
}
