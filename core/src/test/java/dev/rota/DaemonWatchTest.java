package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests that workers and producers warn while no daemon leads and tasks wait for one. */
@RotaTest
class DaemonWatchTest {

  private static final int LEADERS_NAMESPACE = 0x726F7461;
  private static final int SOME = 3;
  private static final NewTask DELAYED = NewTask.of("k", "{}").after(Duration.ofHours(1));

  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final Faults faults = new Faults();
  private final ScriptedFault looks = faults.after("look for a daemon").watch();
  private final Logger logger =
      ((LoggerContext) LoggerFactory.getILoggerFactory())
          .getLogger("dev.rota.internal.enqueue.DaemonWatch");
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          assertThat(event.getLevel()).isEqualTo(Level.WARN);
          warnings.add(event.getFormattedMessage());
        }
      };

  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    Duration soon = Duration.ofMillis(20);
    rota = fixture.observed(faults, builder -> RotaBuilder.daemonWatch(builder, soon, soon));
    acme = rota.tenants().register("acme");
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
  void aProducerWarnsAgainAndAgainOnceItHasDelayedATask() throws Exception {
    acme.enqueue(NewTask.of("k", "{}"));
    acme.enqueueAll(List.of(NewTask.of("k", "{}")));
    assertThat(looks.reached()).isZero();
    acme.enqueue(DELAYED);
    Await.atLeast("warnings", () -> warnings.size(), SOME);
    assertThat(warnings.get(0))
        .startsWith("no Rota daemon leads: delayed tasks and retries wait")
        .contains("tenant 'acme'", "RotationDaemon.start(rota)", "`rota daemon`");
  }

  @Test
  void delayedTasksInBulkAreNoticedAsWell() throws Exception {
    acme.enqueueAll(List.of(NewTask.of("k", "{}"), DELAYED));
    Await.until("a warning", () -> !warnings.isEmpty());
  }

  @Test
  void aWorkerWarnsOfRetriesAndOfWhatOthersDelayed() throws Exception {
    try (Worker worker = rota.worker().handle("k", task -> boom()).start()) {
      looks.awaitReached(SOME);
      assertThat(warnings).isEmpty();
      acme.enqueue(NewTask.of("k", "{}"));
      Await.until("a warning", () -> !warnings.isEmpty());
      assertThat(worker.statistics().failed()).isEqualTo(1);
    }
  }

  @Test
  void whileADaemonLeadsNothingIsSaid() throws Exception {
    try (Connection leader = fixture.database().connect()) {
      RotaFixture.texts(leader, "select pg_advisory_lock(" + LEADERS_NAMESPACE + ", -1)");
      acme.enqueue(DELAYED);
      looks.awaitReached(SOME);
      assertThat(warnings).isEmpty();
      RotaFixture.texts(leader, "select pg_advisory_unlock(" + LEADERS_NAMESPACE + ", -1)");
      Await.until("a warning", () -> !warnings.isEmpty());
    }
  }

  private static void boom() {
    throw new IllegalStateException("boom");
  }
}
