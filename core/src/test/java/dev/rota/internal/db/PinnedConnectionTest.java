package dev.rota.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.db.Database.MeasuredPool;
import dev.rota.internal.db.Database.PinnedConnection;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
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
                  default -> throw new UnsupportedOperationException(method.getName());
                }));
  }
}
