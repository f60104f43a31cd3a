package dev.rota.typed.internal;

import dev.rota.NewTask;
import dev.rota.typed.TaskKind;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An interface whose methods stand for tasks; see {@link TaskKind}. Immutable and thread-safe.
 *
 * @param <I> the interface
 */
public final class TaskInterface<I> {

  /** Each interface is read once, when it is first used. */
  private static final ClassValue<TaskInterface<?>> ALL =
      new ClassValue<>() {
        @Override
        protected TaskInterface<?> computeValue(Class<?> type) {
          return read(type);
        }
      };

  private final Class<I> type;
  private final List<TaskMethod> methods;

  private TaskInterface(Class<I> type, List<TaskMethod> methods) {
    this.type = type;
    this.methods = methods;
  }

  /**
   * Returns the interface of a class.
   *
   * @throws IllegalArgumentException if it is no interface, or if one of its methods, which the
   *     message names, stands for no task
   */
  @SuppressWarnings("unchecked")
  public static <I> TaskInterface<I> of(Class<I> type) {
    return (TaskInterface<I>) ALL.get(type);
  }

  private static <I> TaskInterface<I> read(Class<I> type) {
    if (!type.isInterface()) {
      throw new IllegalArgumentException(
          type.getName() + " is a class; give the interface whose methods have @TaskKind");
    }
    List<TaskMethod> methods = new ArrayList<>();
    Map<String, Method> taken = new HashMap<>();
    for (Method method : type.getMethods()) {
      if (!Modifier.isStatic(method.getModifiers())) {
        TaskMethod task = TaskMethod.of(method);
        task.names().forEach(name -> take(name, method, taken));
        methods.add(task);
      }
    }
    if (methods.isEmpty()) {
      throw new IllegalArgumentException(
          type.getName() + " has no method; give each task a method with @TaskKind");
    }
    return new TaskInterface<>(type, List.copyOf(methods));
  }

  private static void take(String name, Method method, Map<String, Method> taken) {
    Method other = taken.putIfAbsent(name, method);
    if (other != null) {
      throw TaskMethod.refused(
          method, "has kind '" + name + "', as " + TaskMethod.name(other) + " has; use another");
    }
  }

  /** The methods. */
  public List<TaskMethod> methods() {
    return methods;
  }

  /**
   * Creates an instance whose methods enqueue their tasks.
   *
   * @param enqueue stores a task and returns its id
   * @param owner the text of the instance
   */
  public I enqueuing(ToLongFunction<NewTask> enqueue, Object owner) {
    Map<Method, TaskMethod> byMethod = new HashMap<>();
    methods.forEach(task -> byMethod.put(task.method(), task));
    InvocationHandler calls =
        (proxy, method, arguments) -> {
          TaskMethod task = byMethod.get(method);
          return task == null
              ? ofObject(proxy, method, arguments, owner)
              : task.result(enqueue.applyAsLong(task.task(arguments)));
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  private Object ofObject(
      Object proxy, Method method, Object @Nullable [] arguments, Object owner) {
    return switch (method.getName()) {
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> type.getSimpleName() + " of " + owner;
    };
  }
}
