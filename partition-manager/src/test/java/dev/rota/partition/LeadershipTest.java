package dev.rota.partition;

import static dev.rota.partition.DaemonFixture.await;
import static dev.rota.partition.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeadershipTest {

  private static final String LEADERS =
      " from pg_locks where locktype = 'advisory' and granted and objid::bigint = 4294967295"
          + " and database = (select oid from pg_database where datname = current_database())";

  private static final int MOST_TRIES = 5;

  private DaemonFixture fixture;

  @BeforeEach
  void open() {
    fixture = new DaemonFixture();
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  void oneLeadsAndTheOtherTakesOverWhenItsConnectionBreaks() throws Exception {
    RotationDaemon first = fixture.daemon(settings -> settings);
    await("the first leads", first::isLeading);
    RotationDaemon second = fixture.daemon(settings -> settings);
    for (int round = 0; round < 3; round++) {
      RotationDaemon leader = first.isLeading() ? first : second;
      RotationDaemon follower = leader == first ? second : first;
      assertThat(follower.isLeading()).isFalse();
      assertThat(fixture.number("select count(*)" + LEADERS)).isEqualTo(1);
      breakUntilOtherLeads(leader, follower);
      rotates();
    }
  }

  /** One that stands still for long may come too late, and the former leader be back before it. */
  private void breakUntilOtherLeads(RotationDaemon leader, RotationDaemon other) throws Exception {
    for (int tries = 0; tries < MOST_TRIES && !other.isLeading(); tries++) {
      String before = fixture.text("select pid" + LEADERS);
      fixture.execute("select pg_terminate_backend(" + before + ")");
      await(
          "one of them leads, in another session",
          () ->
              isOther(fixture.text("select pid" + LEADERS), before)
                  && leader.isLeading() != other.isLeading());
    }
    assertThat(other.isLeading()).isTrue();
  }

  @Test
  void loneDaemonRecoversByItself() throws Exception {
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    await("it leads", daemon::isLeading);
    String before = fixture.text("select pid" + LEADERS);
    fixture.execute("select pg_terminate_backend(" + before + ")");
    await("it leads again", () -> isOther(fixture.text("select pid" + LEADERS), before));
    rotates();
  }

  @Test
  void closedLeaderGivesEverythingBack() throws Exception {
    try (HikariDataSource pool = pool(fixture.database())) {
      Rota host = fixture.closeLater(Rota.builder(pool).doorbell(false).build());
      RotationDaemon daemon = fixture.daemon(host, settings -> settings);
      await("it leads", daemon::isLeading);
      RotationDaemon waiting = fixture.daemon(settings -> settings);
      daemon.close();
      daemon.close();
      assertThat(daemon.isLeading()).isFalse();
      // Its Rota may be looking at the settings of the server at this moment.
      await("no connection is kept", () -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
      await("the other takes over", waiting::isLeading);
      waiting.close();
      assertThat(fixture.number("select count(*)" + LEADERS)).isZero();
    }
  }

  @Test
  void daemonWaitsForTheSchema() throws Exception {
    try (TestDatabase empty = TestDatabase.create();
        Rota rota = Rota.builder(empty.jdbcUrl()).poolSize(3).build();
        RotationDaemon daemon = RotationDaemon.builder(rota).tick(Duration.ofMillis(20)).start()) {
      rota.migrate();
      await("it leads", daemon::isLeading);
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
    await(
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
