package dev.rota.internal.settle;

import dev.rota.Task;
import dev.rota.internal.db.RowId;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

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
    String present = newPayload == null ? payload() : newPayload;
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
    return contents.payload();
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
    return OVERHEAD + 2L * payload().length();
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

  public record Contents(String kind, String payload, Marks marks) {
    public static Contents of(String kind, String payload, @Nullable String key, int traits) {
      return new Contents(kind, payload, Marks.of(key, traits));
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
}
