package dev.rota.typed.internal;

import dev.rota.NewTask;
import dev.rota.TaskHandler;
import dev.rota.internal.payload.PayloadFormat;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.typed.Kind;
import dev.rota.typed.TaskKind;
import dev.rota.typed.TypeToken;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A method that stands for the tasks of a kind. Immutable and thread-safe.
 *
 * @param method the method
 * @param kind the kind; of texts if the method has no parameter
 */
public record TaskMethod(Method method, Kind<Object> kind) {

  /** The payload of the task of a method without a parameter: JSON that may get properties. */
  private static final String NOTHING = "{}";

  /** The type of a parameter. */
  private record ParameterToken(Type type) implements TypeToken<Object> {}

  /** Reads the annotation of a method. */
  static TaskMethod of(Method method) {
    if (method.isBridge()) {
      throw refused(method, "is inherited with another type; declare it in one interface");
    }
    TaskKind annotation = method.getAnnotation(TaskKind.class);
    if (annotation == null) {
      throw refused(method, "has no kind; annotate it with @TaskKind(\"...\")");
    }
    if (method.getParameterCount() > 1) {
      throw refused(method, "has several parameters; give it one, such as a record of them");
    }
    if (method.getReturnType() != void.class && method.getReturnType() != long.class) {
      throw refused(method, "returns a value; let it return void, or long for the id of the task");
    }
    if (!method.trySetAccessible()) {
      throw refused(method, "cannot be called by Rota; open its package to the module of Rota");
    }
    try {
      Kind<Object> kind = Kind.of(annotation.value(), new ParameterToken(payloadType(method)));
      names(kind.formerly(annotation.formerly())).forEach(TaskValidator::checkKind);
      return new TaskMethod(method, kind.formerly(annotation.formerly()));
    } catch (IllegalArgumentException e) {
      throw refused(method, "stands for no task: " + e.getMessage());
    }
  }

  private static Type payloadType(Method method) {
    return method.getParameterCount() == 0 ? String.class : method.getGenericParameterTypes()[0];
  }

  /** The kind and its former names. */
  List<String> names() {
    return names(kind);
  }

  private static List<String> names(Kind<?> kind) {
    return Stream.concat(Stream.of(kind.name()), kind.formerNames().stream()).toList();
  }

  /** Returns the task of a call. */
  NewTask task(Object @Nullable [] arguments) {
    return kind.task(arguments == null ? NOTHING : arguments[0]);
  }

  /** Returns what a call that enqueued a task returns. */
  @Nullable Object result(long id) {
    return method.getReturnType() == void.class ? null : id;
  }

  /** Returns a handler that calls the method of a service. */
  public TaskHandler handler(Object service, PayloadFormat payloads) {
    if (method.getParameterCount() == 0) {
      return task -> call(service);
    }
    PayloadReader<Object> reader = PayloadReader.of(kind, payloads);
    return task -> call(service, reader.read(task));
  }

  private void call(Object service, Object... arguments) throws Exception {
    try {
      method.invoke(service, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof Exception thrown ? thrown : e;
    }
  }

  static IllegalArgumentException refused(Method method, String problem) {
    return new IllegalArgumentException("method " + name(method) + " " + problem);
  }

  static String name(Method method) {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }
}
