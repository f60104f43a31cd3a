package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests that tasks of unknown kinds are logged within seconds, once for each tenant and kind. */
@RotaTest
class UnknownKindsTest {

  private static final String LOOK = "look for unknown kinds";

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Faults faults = new Faults();
  private final Logger logger =
      ((LoggerContext) LoggerFactory.getILoggerFactory())
          .getLogger("dev.rota.internal.claim.UnknownKindWarning");
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          told.add(event.getFormattedMessage());
        }
      };

  @Given private RotaFixture fixture;
  private Rota rota;

  @BeforeEach
  void open() {
    rota = fixture.observed(faults);
    appender.start();
    logger.setAdditive(false);
    logger.addAppender(appender);
  }

  @AfterEach
  void close() {
    logger.detachAppender(appender);
    logger.setAdditive(true);
  }

  @Test
  @Tag("exhaustive")
  void besideKnownTasksEachTenantAndKindIsToldOnce() throws Exception {
    List<Tenant> tenants = List.of(rota.tenants().register("a"), rota.tenants().register("b"));
    List<NewTask> tasks =
        List.of(NewTask.of("known", ""), NewTask.of("lost", ""), NewTask.of("gone", ""));
    tenants.forEach(tenant -> tenant.enqueueAll(tasks));
    try (Worker worker = rota.worker().handle("known", task -> {}).start()) {
      Await.until("all are told", () -> told.size(), 4);
      assertThat(told)
          .allMatch(
              line ->
                  line.contains("stay pending: no handler of this worker knows them. Give it one"))
          .anyMatch(line -> line.startsWith("tasks of kind 'lost' of tenant 'a'"))
          .anyMatch(line -> line.startsWith("tasks of kind 'gone' of tenant 'a'"))
          .anyMatch(line -> line.startsWith("tasks of kind 'lost' of tenant 'b'"))
          .anyMatch(line -> line.startsWith("tasks of kind 'gone' of tenant 'b'"));
      tenants.forEach(tenant -> tenant.enqueueAll(tasks));
      faults.awaitMore(LOOK, 3);
      Await.until("all known ones ran", () -> worker.statistics().done(), 4);
      assertThat(told).hasSize(4);
    }
  }

  /** Its look would come before that of the next worker. */
  @Test
  @Tag("exhaustive")
  void aWorkerThatWasClosedTellsNothing() throws Exception {
    Tenant acme = rota.tenants().register("a");
    Worker closed = rota.worker().handle("first", task -> {}).start();
    acme.enqueue(NewTask.of("first", ""));
    Await.until("it ran", () -> closed.statistics().done(), 1);
    closed.close();
    try (Worker worker =
        rota.worker().handle("known", task -> {}).handle("first", task -> {}).start()) {
      List<NewTask> tasks = List.of(NewTask.of("known", ""), NewTask.of("lost", ""));
      acme.enqueueAll(tasks);
      rota.tenants().register("b").enqueueAll(tasks);
      Await.until("the next one tells", () -> told.size(), 2);
      Await.until("known ones ran", () -> worker.statistics().done(), 2);
      assertThat(told)
          .anyMatch(line -> line.startsWith("tasks of kind 'lost' of tenant 'a'"))
          .anyMatch(line -> line.startsWith("tasks of kind 'lost' of tenant 'b'"));
    }
  }

  @Test
  void whereNothingElseIsPendingItIsToldAtOnce() throws Exception {
    rota.tenants().register("a").enqueue(NewTask.of("lost", ""));
    try (Worker worker = rota.worker().handle("known", task -> {}).start()) {
      Await.until("it is told", () -> told.size(), 1);
      assertThat(worker.statistics().claimed()).isZero();
    }
  }
}
