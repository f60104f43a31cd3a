package dev.rota.spring;

import dev.rota.Task;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** A method of a bean that runs tasks, and what it takes. Immutable and thread-safe. */
final class TaskInvocation {

  private enum Argument {
    TASK,
    CONNECTION,
    VALUE
  }

  private final Object bean;
  private final Method method;
  private final List<Argument> arguments;

  /**
   * Looks at the parameters of a method.
   *
   * @throws InvalidHandlerException if it takes what no task has
   */
  TaskInvocation(Object bean, Method method) {
    this.bean = bean;
    this.method = method;
    this.arguments = Arrays.stream(method.getParameters()).map(TaskInvocation::argument).toList();
    if (arguments.stream().distinct().count() < arguments.size()) {
      throw new InvalidHandlerException(
          this + " takes two values of one sort",
          "Let it take one payload, the Task, both or neither.");
    }
    ReflectionUtils.makeAccessible(method);
  }

  private static Argument argument(Parameter parameter) {
    if (parameter.getType() == Task.class) {
      return Argument.TASK;
    }
    return parameter.getType() == Connection.class ? Argument.CONNECTION : Argument.VALUE;
  }

  /** The type of the value that the method takes; empty if it takes none. */
  Optional<Type> valueType() {
    int place = arguments.indexOf(Argument.VALUE);
    return place < 0 ? Optional.empty() : Optional.of(method.getGenericParameterTypes()[place]);
  }

  boolean takesConnection() {
    return arguments.contains(Argument.CONNECTION);
  }

  void run(@Nullable Object value, Task task, @Nullable Connection connection) throws Exception {
    @Nullable Object[] given = new Object[arguments.size()];
    for (int i = 0; i < given.length; i++) {
      given[i] =
          switch (arguments.get(i)) {
            case TASK -> task;
            case CONNECTION -> connection;
            case VALUE -> value;
          };
    }
    try {
      method.invoke(bean, given);
    } catch (InvocationTargetException e) {
      ReflectionUtils.rethrowException(e.getTargetException());
    }
  }

  @Override
  public String toString() {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }
}
