package dev.rota.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.junit.TestRota;
import dev.rota.testing.TestDatabase;
import dev.rota.typed.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Tests an application in the way its own tests do. */
@SpringBootTest(classes = AutoConfigureRotaTest.Shop.class)
@AutoConfigureRota
class AutoConfigureRotaTest {

  /** Stays until the server of this JVM stops, as the context does. */
  private static final TestDatabase DATABASE = Contexts.migrated();

  @Autowired private TestRota rota;
  @Autowired private OrderService orders;
  @Autowired private Reminders reminders;
  @Autowired private ApplicationContext context;

  @DynamicPropertySource
  static void properties(DynamicPropertyRegistry properties) {
    properties.add("spring.datasource.url", DATABASE::jdbcUrl);
    properties.add("rota.tenants", () -> "acme");
    properties.add("rota.worker.kinds[fails].retry.max-attempts", () -> "1");
  }

  record Order(int number) {}

  @ImportAutoConfiguration({
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    RotaAutoConfiguration.class
  })
  @EnableTransactionManagement
  @Import({OrderService.class, Reminders.class})
  static class Shop {}

  /** Enqueues in the transaction of its caller. */
  static class OrderService {
    private final Rota rota;

    OrderService(Rota rota) {
      this.rota = rota;
    }

    @Transactional
    public void place(Order order) {
      Tenant acme = rota.tenants().get("acme");
      acme.enqueue(Reminders.REMIND.task(order).after(Duration.ofDays(14)));
      if (order.number() < 0) {
        throw new IllegalArgumentException("no such order");
      }
    }
  }

  /** Remembers of which orders it reminded. */
  static class Reminders {
    static final Kind<Order> REMIND = Kind.of("remind", Order.class);

    private final List<Integer> sent = new CopyOnWriteArrayList<>();

    @RotaHandler("remind")
    void remind(Order order) {
      sent.add(order.number());
    }

    @RotaHandler("fails")
    void fail() {
      throw new IllegalStateException("no mail today");
    }

    @RotaSchedule(name = "daily", every = "1d")
    void daily() {
      sent.add(0);
    }
  }

  /** Both times in one context: what the first test sets does not hold in the second one. */
  @RepeatedTest(2)
  void whatATestSetsEndsWithIt() {
    NewTask failing = NewTask.of("fails", "");
    Tenant acme = rota.rota().tenants().get("acme");
    acme.enqueue(failing);
    assertThatIllegalStateException().isThrownBy(rota::drain).withMessage("no mail today");
    rota.expectFailures();
    acme.enqueue(failing);
    rota.drain();
    rota.handlers(worker -> worker.handle("fails", task -> {}));
  }

  @Test
  void theTestRunsWhatTheContextWould() {
    assertThat(context.getBeanNamesForType(WorkerLifecycle.class)).isEmpty();
    assertThat(context.getBeanNamesForType(DaemonLifecycle.class)).isEmpty();
    orders.place(new Order(7));
    assertThatIllegalArgumentException().isThrownBy(() -> orders.place(new Order(-1)));
    rota.drain();
    assertThat(reminders.sent).doesNotContain(7);
    rota.advance(Duration.ofDays(14)).drain();
    assertThat(reminders.sent).containsOnlyOnce(7).contains(0).doesNotContain(-1);
  }
}
