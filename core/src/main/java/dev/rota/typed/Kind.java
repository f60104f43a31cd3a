package dev.rota.typed;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Worker;
import java.lang.invoke.MethodType;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A kind of tasks whose payloads are values of one type. A constant that producers and workers
 * share; immutable and thread-safe.
 *
 * <pre>{@code
 * record SendMail(String to, String template) {}
 *
 * static final Kind<SendMail> SEND_MAIL = Kind.of("email.send", SendMail.class);
 *
 * acme.enqueue(SEND_MAIL.task(new SendMail("joe", "welcome")).after(Duration.ofMinutes(5)));
 * rota.worker().handle(SEND_MAIL, (mail, task) -> mailer.send(mail.to(), mail.template()));
 * }</pre>
 *
 * <p>The database holds the name that is written here and the text that the codec of the {@link
 * Rota} writes. Names of classes and methods are not stored, and may change.
 *
 * @param <T> the type of the values
 * @see Rota.Builder#payloadCodec
 */
public final class Kind<T> {

  private final String name;
  private final Type type;
  private final List<String> formerNames;

  private Kind(String name, Type type, List<String> formerNames) {
    this.name = Objects.requireNonNull(name, "name");
    this.type =
        type instanceof Class<?> plain ? MethodType.methodType(plain).wrap().returnType() : type;
    this.formerNames = formerNames;
  }

  /**
   * Creates a kind.
   *
   * @param <T> the type of the values
   * @param name the kind as it is stored; see {@link NewTask#of(String, String)}
   * @param type the type of the values. The payload of a {@code String} is that text, and needs no
   *     codec
   * @return the kind
   */
  public static <T> Kind<T> of(String name, Class<T> type) {
    return new Kind<>(name, type, List.of());
  }

  /**
   * Creates a kind of values whose type has arguments, such as {@code List<Invoice>}. The codec
   * must support this; that of {@code rota-jackson} does.
   *
   * @param <T> the type of the values
   * @param name the kind as it is stored; see {@link NewTask#of(String, String)}
   * @param type the type of the values
   * @return the kind
   * @throws IllegalArgumentException if the type has a variable, such as {@code List<T>}
   */
  public static <T> Kind<T> of(String name, TypeToken<T> type) {
    if (hasVariable(type.type())) {
      throw new IllegalArgumentException(
          "values of kind '"
              + name
              + "' have the type "
              + type.type().getTypeName()
              + ", in which a variable stands for a type; name the type");
    }
    return new Kind<>(name, type.type(), List.of());
  }

  private static boolean hasVariable(Type type) {
    return type instanceof TypeVariable
        || (type instanceof GenericArrayType array && hasVariable(array.getGenericComponentType()))
        || (type instanceof ParameterizedType generic
            && Stream.of(generic.getActualTypeArguments()).anyMatch(Kind::hasVariable));
  }

  /**
   * Returns a copy with former names, under which tasks may still be stored. A worker that handles
   * the kind claims these too. A retry policy, a time limit or a concurrency of the kind holds for
   * them as well. Producers use the new name.
   *
   * @param names the former names
   * @return a copy that has these former names besides those of this kind
   */
  public Kind<T> formerly(String... names) {
    List<String> all = Stream.concat(formerNames.stream(), Stream.of(names)).toList();
    return new Kind<>(name, type, all);
  }

  /**
   * Creates a task. The value is written when the task is enqueued, in the thread of the caller: do
   * not change it until then.
   *
   * @param value the value
   * @return the task
   */
  public NewTask task(T value) {
    return NewTask.of(name, value, type);
  }

  /**
   * The name of the kind, for settings by kind such as {@link Worker.Builder#concurrency(String,
   * int)}.
   *
   * @return the kind as it is stored
   */
  public String name() {
    return name;
  }

  /**
   * The former names of the kind.
   *
   * @return an unmodifiable list
   */
  public List<String> formerNames() {
    return formerNames;
  }

  /**
   * The type of the values.
   *
   * @return the type
   */
  public Type type() {
    return type;
  }

  @Override
  public String toString() {
    return "Kind[" + name + ": " + type.getTypeName() + "]";
  }
}
