package dev.rota.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Knows the connections whose transactions end in the calling thread. Spring leaves them bound, as
 * if the transaction were open, until the callbacks have run that follow its commit or rollback.
 * All transaction managers among the beans report to it.
 */
final class EndingTransactions implements BeanPostProcessor, TransactionExecutionListener {

  /** By transaction; weak, since another listener may throw before this one is told the end. */
  private static final ThreadLocal<Map<TransactionExecution, List<Object>>> ENDING =
      ThreadLocal.withInitial(WeakHashMap::new);

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof ConfigurableTransactionManager manager) {
      add(manager);
    }
    return bean;
  }

  /** As the last one: what other listeners do before the commit is a part of it. */
  private void add(ConfigurableTransactionManager manager) {
    List<TransactionExecutionListener> listeners =
        new ArrayList<>(manager.getTransactionExecutionListeners());
    listeners.add(this);
    manager.setTransactionExecutionListeners(listeners);
  }

  /** Whether the transaction that bound this resource to the calling thread ends. */
  static boolean include(Object resource) {
    return ENDING.get().values().stream()
        .flatMap(List::stream)
        .anyMatch(ending -> ending == resource);
  }

  /** Comes after the callbacks before the commit, whose tasks are still a part of it. */
  @Override
  public void beforeCommit(TransactionExecution transaction) {
    begin(transaction);
  }

  @Override
  public void beforeRollback(TransactionExecution transaction) {
    begin(transaction);
  }

  private static void begin(TransactionExecution transaction) {
    Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
    ENDING.get().put(transaction, List.copyOf(bound.values()));
  }

  /** Comes after the callbacks after the commit. */
  @Override
  public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
    end(transaction);
  }

  @Override
  public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
    end(transaction);
  }

  private static void end(TransactionExecution transaction) {
    Map<TransactionExecution, List<Object>> ending = ENDING.get();
    ending.remove(transaction);
    if (ending.isEmpty()) {
      ENDING.remove();
    }
  }
}
