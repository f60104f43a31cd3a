package dev.rota;

import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A task to be enqueued. Immutable and thread-safe.
 *
 * <p>Nothing is checked here: {@link Tenant#enqueue(NewTask)} and its siblings check the task
 * against the limits of the {@link Rota} they belong to, and refuse it with {@link
 * InvalidTaskException}.
 */
public final class NewTask {

  private final String kind;
  private final String payload;
  private final @Nullable Long parentId;

  private NewTask(String kind, String payload, @Nullable Long parentId) {
    this.kind = kind;
    this.payload = payload;
    this.parentId = parentId;
  }

  /**
   * A task without a parent.
   *
   * @param kind which handler runs it: 1 to 128 characters out of {@code A-Z a-z 0-9 . _ : / -}
   * @param payload what the handler gets, JSON by convention; at most the payload limit of the
   *     {@link Rota} (64 KiB unless configured), in UTF-8 bytes
   * @return the task
   */
  public static NewTask of(String kind, String payload) {
    return new NewTask(
        Objects.requireNonNull(kind, "kind"), Objects.requireNonNull(payload, "payload"), null);
  }

  /**
   * The same task, with a parent. The parent is recorded with every attempt and given to the
   * handler.
   *
   * @param parentId the id of another task of the same tenant
   * @return a copy of this task that has the parent
   */
  public NewTask withParent(long parentId) {
    return new NewTask(kind, payload, parentId);
  }

  /**
   * Which handler runs the task.
   *
   * @return the kind
   */
  public String kind() {
    return kind;
  }

  /**
   * What the handler gets.
   *
   * @return the payload
   */
  public String payload() {
    return payload;
  }

  /**
   * The task this one belongs to.
   *
   * @return the id of the parent, or empty
   */
  public OptionalLong parentId() {
    return parentId == null ? OptionalLong.empty() : OptionalLong.of(parentId);
  }

  @Override
  public String toString() {
    return "NewTask[kind=" + kind + ", payload of " + payload.length() + " characters]";
  }
}
