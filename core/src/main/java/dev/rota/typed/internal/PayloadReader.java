package dev.rota.typed.internal;

import dev.rota.FatalTaskException;
import dev.rota.Task;
import dev.rota.internal.payload.PayloadFormat;
import dev.rota.spi.PayloadCodec;
import dev.rota.typed.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of one kind from the payloads of its tasks. Thread-safe.
 *
 * @param <T> the type of the values
 */
public final class PayloadReader<T> {

  private final Kind<T> kind;
  private final @Nullable PayloadCodec codec;

  private PayloadReader(Kind<T> kind, @Nullable PayloadCodec codec) {
    this.kind = kind;
    this.codec = codec;
  }

  /**
   * Creates the reader of a kind.
   *
   * @throws IllegalStateException if the values are no texts and the Rota has no codec
   */
  public static <T> PayloadReader<T> of(Kind<T> kind, PayloadFormat payloads) {
    return new PayloadReader<>(
        kind,
        kind.type() == String.class
            ? null
            : payloads.codecFor(kind.name(), kind.type().getTypeName()));
  }

  /**
   * Reads the value of a task. A payload that cannot be read is the same at each attempt, so the
   * task is dead at once.
   */
  public T read(Task task) {
    Object value;
    try {
      value = codec == null ? task.payload() : codec.read(task.payload(), kind.type());
    } catch (RuntimeException e) {
      throw new FatalTaskException(unreadable(task), e);
    }
    if (value == null) {
      throw new FatalTaskException(unreadable(task) + ": it is null");
    }
    return cast(value);
  }

  private String unreadable(Task task) {
    return "payload of kind '" + task.kind() + "' cannot be read as " + kind.type().getTypeName();
  }

  /** The codec was asked for this type. */
  @SuppressWarnings("unchecked")
  private T cast(Object value) {
    return (T) value;
  }
}
