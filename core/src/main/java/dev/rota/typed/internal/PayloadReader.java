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
    return read(task.kind(), task.payload());
  }

  /**
   * Reads the value of a payload.
   *
   * @param storedKind the kind with which it is stored
   */
  public T read(String storedKind, String payload) {
    Object value;
    try {
      value = codec == null ? payload : codec.read(payload, kind.type());
    } catch (RuntimeException e) {
      throw new FatalTaskException(unreadable(storedKind), e);
    }
    if (value == null) {
      throw new FatalTaskException(unreadable(storedKind) + ": it is null");
    }
    return cast(value);
  }

  private String unreadable(String storedKind) {
    return "payload of kind '" + storedKind + "' cannot be read as " + kind.type().getTypeName();
  }

  /** The codec was asked for this type. */
  @SuppressWarnings("unchecked")
  private T cast(Object value) {
    return (T) value;
  }
}
