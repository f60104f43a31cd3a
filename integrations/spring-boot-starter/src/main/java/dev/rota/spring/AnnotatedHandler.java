package dev.rota.spring;

import dev.rota.DeliveryMode;
import dev.rota.Worker;
import dev.rota.typed.Kind;
import dev.rota.typed.TypeToken;
import java.lang.reflect.Type;
import java.util.List;
import java.util.stream.Stream;

/**
 * The kind that an annotated method runs.
 *
 * @param kind the kind as it is stored
 * @param formerly its former names
 * @param invocation the method
 */
record AnnotatedHandler(String kind, List<String> formerly, TaskInvocation invocation) {

  /** All names under which tasks of this handler may be stored. */
  Stream<String> names() {
    return Stream.concat(Stream.of(kind), formerly.stream());
  }

  /** Adds the method to a worker that delivers in this mode. */
  void addTo(Worker.Builder worker, DeliveryMode mode) {
    Kind<Object> typed = typed();
    if (mode == DeliveryMode.TRANSACTIONAL) {
      worker.handleInTransaction(typed, invocation::run);
    } else if (invocation.takesConnection()) {
      throw new InvalidHandlerException(
          "The handler %s of kind '%s' takes a Connection, which only transactional delivery has"
              .formatted(invocation, kind),
          "Set rota.worker.delivery=transactional, or let the method take no Connection.");
    } else {
      worker.handle(typed, (value, task) -> invocation.run(value, task, null));
    }
  }

  /** A method that takes no value takes no part of the payload either: it stays text. */
  private Kind<Object> typed() {
    Type type = invocation.valueType().orElse(String.class);
    TypeToken<Object> token =
        new TypeToken<>() {
          @Override
          public Type type() {
            return type;
          }
        };
    return Kind.of(kind, token).formerly(formerly.toArray(String[]::new));
  }
}
