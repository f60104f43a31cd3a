package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.LEADERS;
import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.Given;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@RotaTest
class LeaderLockTest {

  @Given private DaemonFixture fixture;

  @Test
  @Tag("exhaustive")
  void oneLeadsAndTheOtherTakesOverWhenItsConnectionBreaks() throws Exception {
    Candidate leader = candidate();
    Await.until("the first leads", leader.daemon::isLeading);
    Candidate follower = candidate();
    for (int round = 0; round < 3; round++) {
      assertThat(follower.daemon.isLeading()).isFalse();
      assertThat(fixture.number("select count(*)" + LEADERS)).isEqualTo(1);
      breakConnection(leader, follower);
      rotates();
      Candidate former = leader;
      leader = follower;
      follower = former;
    }
  }

  @Test
  void closingTheRotaClosesTheDaemonInItsProcess() throws Exception {
    Rota rota = Rota.connect(fixture.database().jdbcUrl());
    RotationDaemon daemon = RotationDaemon.start(rota);
    Await.until("it leads", daemon::isLeading);
    rota.close();
    assertThat(daemon.isLeading()).isFalse();
    assertThat(fixture.number("select count(*)" + LEADERS)).isZero();
    daemon.close();
  }

  /**
   * An Error, for instance of a full memory or a missing library: neither a maintenance task nor
   * the loop may end with it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"find dead workers", "lead"})
  @Tag("exhaustive")
  void anErrorEndsNoReign(String call) throws Exception {
    Faults faults = new Faults();
    faults.before(call).times(2).fail(() -> new NoClassDefFoundError("by order of a test"));
    ScriptedFault again = faults.before(call).watch();
    RotationDaemon daemon = fixture.daemon(fixture.observed(faults), settings -> settings);
    again.awaitReached();
    Await.until("it leads", daemon::isLeading);
    rotates();
  }

  /** The former leader asks again at once, and must not be back before the other one asks. */
  private void breakConnection(Candidate leader, Candidate other) throws Exception {
    String before = fixture.text("select pid" + LEADERS);
    ScriptedFault asking = leader.calls.before("lead").hold().optional();
    fixture.execute("select pg_terminate_backend(" + before + ")");
    Await.until("the other leads", () -> other.daemon.isLeading() && !leader.daemon.isLeading());
    asking.release();
    assertThat(fixture.text("select pid" + LEADERS)).isNotEqualTo(before);
  }

  private record Candidate(RotationDaemon daemon, Faults calls) {}

  private Candidate candidate() {
    Faults calls = new Faults();
    Rota rota = fixture.observed(calls);
    return new Candidate(fixture.daemon(rota, settings -> settings), calls);
  }

  @Test
  void loneDaemonRecoversByItself() throws Exception {
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("it leads", daemon::isLeading);
    String before = fixture.text("select pid" + LEADERS);
    fixture.execute("select pg_terminate_backend(" + before + ")");
    Await.until("it leads again", () -> isOther(fixture.text("select pid" + LEADERS), before));
    rotates();
  }

  @Test
  void closedLeaderGivesEverythingBack() throws Exception {
    try (HikariDataSource pool = pool(fixture.database())) {
      Rota host = fixture.closeLater(Rota.builder(pool).doorbell(false).build());
      RotationDaemon daemon = fixture.daemon(host, settings -> settings);
      Await.until("it leads", daemon::isLeading);
      String session = fixture.text("select pid" + LEADERS);
      RotationDaemon waiting = fixture.daemon(settings -> settings);
      daemon.close();
      daemon.close();
      assertThat(daemon.isLeading()).isFalse();
      // Its Rota may be looking at the settings of the server at this moment.
      Await.until(
          "no connection is kept", () -> pool.getHikariPoolMXBean().getActiveConnections(), 0);
      assertThat(fixture.number("select count(*) from pg_stat_activity where pid = " + session))
          .as("the session, which the pool has back")
          .isEqualTo(1);
      Await.until("the other takes over", waiting::isLeading);
      waiting.close();
      assertThat(fixture.number("select count(*)" + LEADERS)).isZero();
    }
  }

  @Test
  void daemonThatStandsByNamesTheSessionThatLeads() throws Exception {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger("dev.rota.daemon.internal.leader.StandbyLog");
    logger.setLevel(Level.INFO);
    logger.addAppender(log);
    try (Connection stranger = fixture.database().connect()) {
      DaemonFixture.execute(stranger, "set application_name = 'a stranger'");
      DaemonFixture.execute(stranger, "select pg_advisory_lock(1919906913, -1)");
      String session = fixture.text("select pid" + LEADERS);
      Faults asked = new Faults();
      fixture.daemon(fixture.observed(asked), settings -> settings);
      asked.awaitMore("lead", 20);
      assertThat(log.list).hasSize(1);
      assertThat(log.list.get(0).getFormattedMessage())
          .contains(
              "the Rota daemon of schema \"rota\" stands by: session " + session,
              "application 'a stranger', role '",
              "connected since 20");
    } finally {
      logger.detachAppender(log);
      logger.setLevel(null);
    }
  }

  @Test
  @Tag("exhaustive")
  void daemonWaitsForTheSchema() throws Exception {
    try (TestDatabase empty = TestDatabase.create();
        Rota rota = Rota.builder(empty.jdbcUrl()).poolSize(3).build();
        RotationDaemon daemon = RotationDaemon.builder(rota).tick(Duration.ofMillis(20)).start()) {
      rota.admin().migrate();
      Await.until("it leads", daemon::isLeading);
    }
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    RotationDaemon.Builder builder = RotationDaemon.builder(fixture.rota());
    assertThatThrownBy(() -> builder.rotateEvery(Duration.ofMillis(999)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rotateEvery");
    assertThatThrownBy(() -> builder.slotBytes(8_191)).hasMessageContaining("slotBytes");
    assertThatThrownBy(() -> builder.segmentBytes(-1)).hasMessageContaining("segmentBytes");
    assertThatThrownBy(() -> builder.segmentAge(Duration.ZERO)).hasMessageContaining("segmentAge");
    assertThatThrownBy(() -> builder.keepHistory(Duration.ofSeconds(-1)))
        .hasMessageContaining("keepHistory");
    assertThatThrownBy(() -> builder.keepLedger(Duration.ofSeconds(-1)))
        .hasMessageContaining("keepLedger");
    assertThatThrownBy(() -> builder.keepGraphs(Duration.ofSeconds(-1)))
        .hasMessageContaining("keepGraphs");
    assertThatThrownBy(() -> builder.tick(Duration.ofMillis(9))).hasMessageContaining("tick");
  }

  private void rotates() throws Exception {
    Tenant acme = fixture.rota().tenants().register("acme");
    long before = Long.parseLong(fixture.tenant(acme, "rotations"));
    Await.until(
        "a rotation",
        () -> {
          acme.enqueueAll(tasks("k", 3));
          acme.claim(3).settle();
          return Long.parseLong(fixture.tenant(acme, "rotations")) > before;
        });
  }

  private static boolean isOther(String present, String before) {
    return !List.of("no row", before).contains(present);
  }

  private static HikariDataSource pool(TestDatabase database) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.jdbcUrl());
    config.setMaximumPoolSize(4);
    return new HikariDataSource(config);
  }
}
