package dev.rota.spring;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Tenants;
import dev.rota.internal.DefaultRota;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets tenants enqueue in the transaction that Spring has begun in the calling thread, if there is
 * one on the data source of Rota. It stands before a {@link Rota}, its {@link Tenants} and each
 * {@link Tenant}, and forwards all other calls.
 */
final class JoiningCalls implements InvocationHandler {

  private final Object target;
  private final DataSource dataSource;

  private JoiningCalls(Object target, DataSource dataSource) {
    this.target = target;
    this.dataSource = dataSource;
  }

  /** A Rota whose tenants join transactions on this data source. */
  static Rota over(Rota rota, DataSource dataSource) {
    return proxy(DefaultRota.Wrapper.class, new JoiningCalls(rota, dataSource));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] given)
      throws Throwable {
    if (target instanceof Tenant tenant && given != null) {
      if (given[0] instanceof NewTask task && method.getName().equals("enqueue")) {
        return enqueue(tenant, task, given);
      }
      if (given[0] instanceof List<?> list && method.getName().equals("enqueueAll")) {
        List<NewTask> tasks = list.stream().map(NewTask.class::cast).toList();
        return joined(c -> tenant.enqueueAll(c, tasks), () -> tenant.enqueueAll(tasks));
      }
      if (given[0] instanceof Class<?> type && method.getName().equals("tasks")) {
        return tasks(tenant, type);
      }
    }
    if (method.getDeclaringClass() == DefaultRota.Wrapper.class) {
      return target;
    }
    if (method.getName().equals("equals") && given != null && given.length == 1) {
      return target.equals(unwrapped(given[0]));
    }
    return wrapped(call(method, target, given));
  }

  /** Waits for room outside of transactions only: a wait inside would keep their locks. */
  private long enqueue(Tenant tenant, NewTask task, @Nullable Object[] given) {
    Duration patience =
        given.length == 2 ? (Duration) Objects.requireNonNull(given[1], "patience") : null;
    return joined(
        c -> tenant.enqueue(c, task),
        () -> patience == null ? tenant.enqueue(task) : tenant.enqueue(task, patience));
  }

  private static @Nullable Object unwrapped(@Nullable Object other) {
    return other != null
            && Proxy.isProxyClass(other.getClass())
            && Proxy.getInvocationHandler(other) instanceof JoiningCalls calls
        ? calls.target
        : other;
  }

  private <I> I tasks(Tenant tenant, Class<I> type) {
    I alone = tenant.tasks(type);
    return proxy(
        type,
        (proxy, method, given) ->
            method.getDeclaringClass() == Object.class
                ? call(method, alone, given)
                : call(method, joined(c -> tenant.tasks(c, type), () -> alone), given));
  }

  private <T> T joined(Function<Connection, T> inTransaction, Supplier<T> alone) {
    if (!isInTransaction()) {
      return alone.get();
    }
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      return inTransaction.apply(connection);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  /**
   * Whether the calling thread has a transaction on the data source that can still commit. Spring
   * shows it as active in the callbacks after its end. If no bean manages it, only a lack of
   * synchronizations tells, in callbacks after the completion.
   */
  private boolean isInTransaction() {
    Object held = TransactionSynchronizationManager.getResource(dataSource);
    return held != null
        && TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive()
        && !EndingTransactions.include(held);
  }

  private @Nullable Object wrapped(@Nullable Object result) {
    if (result instanceof Tenants tenants) {
      return proxy(Tenants.class, new JoiningCalls(tenants, dataSource));
    }
    if (result instanceof Tenant tenant) {
      return proxy(Tenant.class, new JoiningCalls(tenant, dataSource));
    }
    if (result instanceof Optional<?> found) {
      return found.map(this::wrapped);
    }
    return result instanceof List<?> list && list.stream().allMatch(Tenant.class::isInstance)
        ? list.stream().map(this::wrapped).toList()
        : result;
  }

  private static @Nullable Object call(
      Method method, Object target, @Nullable Object @Nullable [] given) throws Throwable {
    try {
      return method.invoke(target, given);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
