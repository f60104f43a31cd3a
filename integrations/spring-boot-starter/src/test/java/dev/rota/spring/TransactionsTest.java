package dev.rota.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.UnknownTenantException;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import dev.rota.testing.TestDatabase;
import dev.rota.typed.TaskKind;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jooq.autoconfigure.JooqAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Tests that a task exists if and when the transaction of Spring commits in which it was enqueued.
 */
class TransactionsTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  private final TestDatabase database = Contexts.migrated();

  /** A row of the application. */
  @Entity(name = "orders")
  static class Order {
    @Id private long id;

    protected Order() {}

    Order(long id) {
      this.id = id;
    }

    long id() {
      return id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @AutoConfigurationPackage
  static class Entities {}

  @Configuration(proxyBeanMethods = false)
  static class ProxiedSource {

    @Bean
    DataSource dataSource() {
      return new TransactionAwareDataSourceProxy(TestDatabaseHolder.current);
    }
  }

  /** Hands the database of a test to a configuration. */
  static final class TestDatabaseHolder {
    private static DataSource current;

    private TestDatabaseHolder() {}
  }

  /** Enqueues once the transaction of an event has committed. */
  static class Confirmations {
    private final Rota rota;

    Confirmations(Rota rota) {
      this.rota = rota;
    }

    @TransactionalEventListener
    public void placed(String order) {
      rota.tenants().get("acme").enqueue(NewTask.of("k", order));
    }
  }

  interface Calls {
    @TaskKind("call")
    void call(String text);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private ApplicationContextRunner runner() {
    return Contexts.over(database)
        .withPropertyValues("rota.worker.enabled=false", "rota.daemon.enabled=false");
  }

  private static TransactionTemplate template(ApplicationContext context) {
    return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
  }

  /** Runs work that fails, then work that does not, and expects the tasks of the latter alone. */
  private static void expectAtomic(ApplicationContext context, Consumer<Tenant> work, int tasks) {
    Tenant acme = context.getBean(Rota.class).tenants().get("acme");
    TransactionTemplate template = template(context);
    assertThatThrownBy(
            () ->
                template.executeWithoutResult(
                    status -> {
                      work.accept(acme);
                      throw new IllegalStateException("rolled back");
                    }))
        .hasMessage("rolled back");
    assertThat(acme.claim(10).tasks()).isEmpty();
    template.executeWithoutResult(
        status -> {
          work.accept(acme);
          assertThat(acme.claim(10).tasks()).as("before the commit").isEmpty();
        });
    assertThat(acme.claim(10).tasks()).as("after the commit").hasSize(tasks);
  }

  @Test
  void jdbc() {
    runner()
        .run(
            context -> {
              JdbcClient jdbc = context.getBean(JdbcClient.class);
              jdbc.sql("create table orders (id bigint primary key)").update();
              expectAtomic(
                  context,
                  acme -> {
                    jdbc.sql("insert into orders values (1)").update();
                    acme.enqueue(TASK);
                    acme.enqueueAll(List.of(TASK, TASK));
                    acme.tasks(Calls.class).call("text");
                  },
                  4);
              assertThat(jdbc.sql("select count(*) from orders").query(Long.class).single())
                  .isOne();
            });
  }

  @Test
  void jpa() {
    runner()
        .withUserConfiguration(Entities.class)
        .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
        .withPropertyValues("spring.jpa.hibernate.ddl-auto=create")
        .run(
            context -> {
              EntityManager orders = context.getBean(EntityManager.class);
              expectAtomic(
                  context,
                  acme -> {
                    orders.persist(new Order(7));
                    acme.enqueue(TASK);
                  },
                  1);
              assertThat(orders.find(Order.class, 7L).id()).isEqualTo(7);
            });
  }

  @Test
  void jooq() {
    runner()
        .withConfiguration(AutoConfigurations.of(JooqAutoConfiguration.class))
        .run(
            context -> {
              DSLContext jooq = context.getBean(DSLContext.class);
              jooq.execute("create table orders (id bigint primary key)");
              expectAtomic(
                  context,
                  acme -> {
                    jooq.execute("insert into orders values (1)");
                    acme.enqueue(TASK);
                  },
                  1);
              assertThat(jooq.fetchCount(DSL.table("orders"))).isOne();
              Tenant acme = context.getBean(Rota.class).tenants().get("acme");
              assertThatThrownBy(
                      () ->
                          jooq.transaction(
                              inner -> {
                                acme.enqueue(TASK);
                                throw new IllegalStateException("rolled back");
                              }))
                  .hasMessage("rolled back");
              assertThat(acme.claim(10).tasks()).isEmpty();
            });
  }

  @Test
  void outsideOfATransactionTheTaskStandsAlone() {
    runner()
        .run(
            context -> {
              Tenant acme = context.getBean(Rota.class).tenants().get("acme");
              acme.enqueue(TASK);
              acme.tasks(Calls.class).call("text");
              assertThat(acme.claim(10).tasks()).hasSize(2);
              TransactionTemplate suspended = template(context);
              suspended.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
              suspended.executeWithoutResult(status -> acme.enqueue(TASK));
              assertThat(acme.claim(10).tasks()).hasSize(1);
            });
  }

  @Test
  void switchedOffTheTaskStandsAlone() {
    runner()
        .withPropertyValues("rota.join-transactions=false")
        .run(context -> assertThat(inRolledBack(context)).isOne());
  }

  @Test
  void aDataSourceThatJoinsByItselfIsUnwrapped() {
    TestDatabaseHolder.current = database.dataSource();
    runner()
        .withUserConfiguration(ProxiedSource.class)
        .run(context -> assertThat(inRolledBack(context)).isZero());
  }

  private static int inRolledBack(ApplicationContext context) {
    Tenant acme = context.getBean(Rota.class).tenants().get("acme");
    template(context)
        .executeWithoutResult(
            status -> {
              acme.enqueue(TASK);
              status.setRollbackOnly();
            });
    return acme.claim(10).tasks().size();
  }

  @Test
  void aCallWithPatienceJoinsAndDoesNotWait() {
    runner()
        .run(
            context -> {
              expectAtomic(context, acme -> acme.enqueue(TASK, Duration.ofDays(1)), 1);
              Rota rota = context.getBean(Rota.class);
              Tenant full = rota.tenants().register("full");
              rota.controls().changeLimits(Scope.tenant("full"), limits -> limits.maxPending(1));
              full.enqueue(TASK, Duration.ofDays(1));
              assertThatThrownBy(
                      () ->
                          template(context)
                              .execute(status -> full.enqueue(TASK, Duration.ofDays(1))))
                  .isInstanceOf(QuotaExceededException.class);
            });
  }

  /** A pool that rolls back what a callback after a commit leaves on its connection. */
  private ApplicationContextRunner withoutAutoCommit() {
    return runner().withPropertyValues("spring.datasource.hikari.auto-commit=false");
  }

  /** Adds callbacks to the transaction of the calling thread. */
  private static void atEnd(Runnable afterCommit, Runnable afterCompletion) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            afterCommit.run();
          }

          @Override
          public void afterCompletion(int status) {
            afterCompletion.run();
          }
        });
  }

  private static void expectTasksOfCallbacks(ApplicationContext context) {
    Tenant acme = context.getBean(Rota.class).tenants().get("acme");
    TransactionTemplate template = template(context);
    template.executeWithoutResult(
        status ->
            atEnd(
                () -> acme.enqueue(TASK),
                () -> {
                  acme.enqueue(TASK);
                  template.executeWithoutResult(participating -> acme.enqueue(TASK));
                }));
    assertThat(acme.claim(10).tasks()).as("after a commit").hasSize(3);
    template.executeWithoutResult(
        status -> {
          atEnd(() -> {}, () -> acme.enqueue(TASK));
          acme.enqueue(TASK);
          status.setRollbackOnly();
        });
    assertThat(acme.claim(10).tasks()).as("after a rollback").hasSize(1);
  }

  @Test
  void callbacksAfterATransactionEnqueueInAnotherOne() {
    withoutAutoCommit().run(TransactionsTest::expectTasksOfCallbacks);
  }

  @Test
  void callbacksAfterATransactionOfJpaEnqueueInAnotherOne() {
    withoutAutoCommit()
        .withUserConfiguration(Entities.class)
        .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
        .run(TransactionsTest::expectTasksOfCallbacks);
  }

  @Test
  void aTransactionWithinACallbackIsJoined() {
    withoutAutoCommit()
        .run(
            context -> {
              Tenant acme = context.getBean(Rota.class).tenants().get("acme");
              TransactionTemplate inner = template(context);
              inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
              Runnable rolledBack =
                  () ->
                      inner.executeWithoutResult(
                          status -> {
                            acme.enqueue(TASK);
                            status.setRollbackOnly();
                          });
              Runnable committed = () -> inner.executeWithoutResult(status -> acme.enqueue(TASK));
              for (Runnable first : List.of(rolledBack, committed)) {
                template(context)
                    .executeWithoutResult(
                        status -> {
                          atEnd(first, rolledBack);
                          atEnd(() -> acme.enqueue(TASK), () -> acme.enqueue(TASK));
                        });
              }
              assertThat(acme.claim(10).tasks()).hasSize(5);
            });
  }

  @Test
  void callbacksBeforeTheCommitAreAPartOfIt() {
    withoutAutoCommit()
        .run(
            context ->
                expectAtomic(
                    context,
                    acme ->
                        TransactionSynchronizationManager.registerSynchronization(
                            new TransactionSynchronization() {
                              @Override
                              public void beforeCompletion() {
                                acme.enqueue(TASK);
                              }
                            }),
                    1));
  }

  @Test
  void listenersOfEventsEnqueueAfterTheCommit() {
    withoutAutoCommit()
        .withBean(Confirmations.class)
        .run(
            context -> {
              template(context).executeWithoutResult(status -> context.publishEvent("order 7"));
              Tenant acme = context.getBean(Rota.class).tenants().get("acme");
              assertThat(acme.claim(10).tasks()).hasSize(1);
            });
  }

  @Test
  void allOtherCallsAreThoseOfRota() {
    runner()
        .run(
            context -> {
              Rota rota = context.getBean(Rota.class);
              Tenant acme = rota.tenants().get("acme");
              assertThat(Set.of(acme).contains(acme)).isTrue();
              assertThat(acme).isNotEqualTo(rota);
              Optional<Tenant> found = rota.tenants().find("acme");
              assertThat(found.orElseThrow().number()).isEqualTo(acme.number());
              assertThat(rota.tenants().registerAll(List.of("acme")).get(0).name())
                  .isEqualTo("acme");
              assertThatThrownBy(() -> rota.tenants().get("missing"))
                  .isInstanceOf(UnknownTenantException.class);
            });
  }
}
