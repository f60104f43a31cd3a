package dev.rota.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.internal.db.Database.MeasuredPool;
import dev.rota.internal.db.Database.PinnedConnection;
import dev.rota.internal.pool.ConnectionPool;
import dev.rota.testing.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests when a thread gives the connection that it keeps back to the pool. */
class PinnedConnectionTest {

  private static final Duration TENTH = Duration.ofMillis(100);

  private interface Pool extends DataSource, MeasuredPool {}

  private long now;
  private int taken;
  private int returned;
  private boolean awaited;
  private boolean halfFree = true;
  private final Set<PinnedConnection> reclaimable = new HashSet<>();

  @Test
  void poolOfUnknownDemandGetsItBackEveryTenthOfASecond() throws SQLException {
    PinnedConnection pinned = over(DataSource.class);
    use(pinned, TENTH);
    assertThat(returned).isZero();
    use(pinned, Duration.ofNanos(1));
    assertThat(returned).isEqualTo(1);
    use(pinned, Duration.ZERO);
    pass(TENTH);
    pinned.rest();
    assertThat(returned).isEqualTo(2);
  }

  @Test
  void threadKeepsItWhileTheOthersHaveEnough() throws SQLException {
    PinnedConnection pinned = over(Pool.class);
    for (int i = 0; i < 590; i++) {
      use(pinned, TENTH);
      pinned.rest();
    }
    assertThat(taken).isEqualTo(1);
    assertThat(returned).isZero();
    pass(Duration.ofSeconds(1));
    pinned.rest();
    use(pinned, TENTH);
    assertThat(returned).as("the pool renews its connections").isEqualTo(1);
    use(pinned, TENTH);
    assertThat(taken).isEqualTo(2);
  }

  @Test
  void restingThreadGivesItBackAfterAMinute() throws SQLException {
    PinnedConnection pinned = over(Pool.class);
    use(pinned, Duration.ZERO);
    pass(Duration.ofSeconds(61));
    pinned.rest();
    assertThat(returned).isEqualTo(1);
  }

  @Test
  void busyThreadGivesItBackWhenOthersWait() throws SQLException {
    PinnedConnection pinned = over(Pool.class);
    awaited = true;
    use(pinned, TENTH);
    assertThat(returned).isZero();
    use(pinned, Duration.ofNanos(1));
    assertThat(returned).isEqualTo(1);
  }

  @Test
  void restingThreadGivesItBackWhenFewAreFree() throws SQLException {
    PinnedConnection pinned = over(Pool.class);
    use(pinned, Duration.ZERO);
    halfFree = false;
    pinned.rest();
    assertThat(returned).as("it has just been used").isZero();
    pass(TENTH);
    pinned.rest();
    assertThat(returned).isEqualTo(1);
  }

  @Test
  void pausingThreadKeepsItWhileHalfOfThePoolIsFree() throws SQLException {
    PinnedConnection pinned = over(Pool.class);
    use(pinned, Duration.ZERO);
    pinned.pause();
    assertThat(returned).isZero();
    halfFree = false;
    pinned.pause();
    assertThat(returned).isEqualTo(1);
    halfFree = true;
    use(pinned, Duration.ofSeconds(60));
    pinned.pause();
    assertThat(returned).isEqualTo(1);
    pass(Duration.ofNanos(1));
    pinned.pause();
    assertThat(returned).as("the pool renews its connections").isEqualTo(2);
  }

  @Test
  void poolOfUnknownDemandGetsItBackBeforeEachPause() throws SQLException {
    PinnedConnection pinned = over(DataSource.class);
    use(pinned, Duration.ZERO);
    pinned.pause();
    assertThat(returned).isEqualTo(1);
  }

  @Test
  void failureGivesItBack() throws SQLException {
    PinnedConnection pinned = over(Pool.class);
    pinned.giveBack(pinned.take(), false);
    assertThat(returned).isEqualTo(1);
  }

  @Test
  void poolReclaimsAnIdleOne() throws SQLException {
    PinnedConnection pinned = over(Pool.class);
    Connection connection = pinned.take();
    assertThat(reclaimable).containsExactly(pinned);
    pass(TENTH);
    assertThat(pinned.reclaim()).as("in the middle of a transaction").isFalse();
    pinned.giveBack(connection, true);
    assertThat(pinned.reclaim()).as("it has just been used").isFalse();
    pass(TENTH);
    assertThat(pinned.reclaim()).isTrue();
    assertThat(pinned.reclaim()).as("there is none now").isFalse();
    assertThat(returned).isEqualTo(1);
    use(pinned, Duration.ZERO);
    assertThat(taken).as("its thread takes another").isEqualTo(2);
    pinned.close();
    assertThat(reclaimable).isEmpty();
    assertThat(returned).isEqualTo(2);
  }

  @Test
  @Tag("exhaustive")
  void threadsThatWaitGetWhatIdleThreadsKeep() throws Exception {
    try (TestDatabase server = TestDatabase.create();
        ConnectionPool pool = new ConnectionPool(server.jdbcUrl(), 2)) {
      PinnedConnection one = new PinnedConnection(pool, System::nanoTime);
      PinnedConnection another = new PinnedConnection(pool, System::nanoTime);
      Connection first = one.take();
      Connection second = another.take();
      one.giveBack(first, true);
      another.giveBack(second, true);
      // Two threads that keep one each and need a second one would wait for each other.
      try (Connection third = pool.getConnection();
          Connection fourth = pool.getConnection()) {
        assertThat(third.isValid(1)).isTrue();
        assertThat(fourth.isValid(1)).isTrue();
        assertThatThrownBy(pool::getConnection)
            .isInstanceOf(SQLTransientConnectionException.class)
            .hasMessageMatching("no connection for \\d+ ms: rota .*total=2, active=2.*");
      }
      Connection fifth = one.take();
      assertThat(fifth.isValid(1)).isTrue();
      one.giveBack(fifth, true);
      one.close();
      another.close();
    }
  }

  private PinnedConnection over(Class<? extends DataSource> pool) {
    return new PinnedConnection(stub(pool), () -> now);
  }

  /** Runs a transaction that takes so long. */
  private void use(PinnedConnection pinned, Duration time) throws SQLException {
    Connection connection = pinned.take();
    pass(time);
    pinned.giveBack(connection, true);
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private <T> T stub(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, values) ->
                switch (method.getName()) {
                  case "getConnection" -> {
                    taken++;
                    yield stub(Connection.class);
                  }
                  case "close" -> {
                    returned++;
                    yield null;
                  }
                  case "isAwaited" -> awaited;
                  case "isHalfFree" -> halfFree;
                  case "add" -> {
                    reclaimable.add((PinnedConnection) values[0]);
                    yield null;
                  }
                  case "remove" -> {
                    reclaimable.remove((PinnedConnection) values[0]);
                    yield null;
                  }
                  default -> throw new UnsupportedOperationException(method.getName());
                }));
  }
}
