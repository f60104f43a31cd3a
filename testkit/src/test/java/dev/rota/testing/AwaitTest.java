package dev.rota.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests when waits end, and what their errors show. */
class AwaitTest {

  private static final Duration SHORT = Duration.ofMillis(30);

  private final AtomicInteger looks = new AtomicInteger();

  @Test
  void waitEndsWhenTheConditionHolds() throws Exception {
    Await.until("three looks", () -> looks.incrementAndGet() == 3);
    assertThat(looks).hasValue(3);
    Await.until("five looks", looks::incrementAndGet, 5);
    assertThat(looks).hasValue(5);
    Await.atLeast("many looks", () -> looks.addAndGet(10), 20);
    assertThat(looks).hasValue(25);
  }

  @Test
  void errorNamesTheConditionAndTheLastState() {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> Await.until("all done", SHORT, () -> false))
        .withMessage("after 0 s still not: all done; the last state: not so");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> Await.until("all done", SHORT, () -> 3, 4))
        .withMessageEndingWith("all done; the last state: 3, and not 4");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> Await.atLeast("most done", SHORT, () -> 3, 4))
        .withMessageEndingWith("most done; the last state: 3, and not 4 or more");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> Await.until("archived", SHORT, () -> false, () -> "two files"))
        .withMessageEndingWith("archived; the last state: two files");
  }

  @Test
  void exceptionOfTheConditionEndsTheWait() {
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(
            () ->
                Await.until(
                    "all done",
                    () -> {
                      throw new SQLException("no such table");
                    }));
  }

  @Test
  void attemptIsRepeatedUntilItSucceeds() {
    String result =
        Await.success(
            "connect",
            () -> {
              if (looks.incrementAndGet() < 3) {
                throw new SQLException("away");
              }
              return "connected";
            });
    assertThat(result).isEqualTo("connected");
  }
}
