package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.Given;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.testing.Await;
import dev.rota.testing.PgBouncer;
import java.nio.file.Path;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Tests a daemon behind a PgBouncer: it leads if the pooler keeps its session, and otherwise keeps
 * no lock.
 */
@RotaTest
class PooledDaemonTest {

  private static final String LOCKS =
      "select count(*) from pg_locks where locktype = 'advisory' and granted and objsubid = 2"
          + " and objid::bigint = 4294967295"
          + " and database = (select oid from pg_database where datname = current_database())";

  @TempDir private Path folder;

  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.rota");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  @Given private DaemonFixture fixture;

  @BeforeEach
  void open() {
    lines.list = new CopyOnWriteArrayList<>();
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void close() throws Exception {
    logger.detachAppender(lines);
  }

  @Test
  void inTransactionModeItRefusesAndKeepsNobodyElseFromLeading() throws Exception {
    RotationDaemon pooled = daemonBehind("transaction");
    Await.until("it says what to set", this::isRefused);
    assertThat(fixture.number(LOCKS)).isZero();
    RotationDaemon direct = fixture.daemon(settings -> settings);
    Await.until("the other leads", direct::isLeading);
    assertThat(pooled.isLeading()).isFalse();
  }

  @Test
  void inSessionModeItLeads() throws Exception {
    RotationDaemon pooled = daemonBehind("session");
    Await.until("it leads", pooled::isLeading);
    assertThat(fixture.number(LOCKS)).isEqualTo(1);
  }

  private RotationDaemon daemonBehind(String poolMode) throws Exception {
    PgBouncer pooler = fixture.closeLater(PgBouncer.start(fixture.database(), folder, poolMode));
    Rota rota = fixture.closeLater(Rota.connect(pooler.jdbcUrl()));
    return fixture.daemon(rota, settings -> settings);
  }

  private boolean isRefused() {
    return lines.list.stream()
        .anyMatch(line -> line.getFormattedMessage().contains("set pool_mode=session"));
  }
}
