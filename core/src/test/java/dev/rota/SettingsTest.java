package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the bounds of settings, and the messages that name a setting out of bounds. */
class SettingsTest {

  // No server listens there: code that only builds must not depend on one.
  private static final String NOWHERE = "jdbc:postgresql://localhost:1/nowhere?user=u&password=p";

  private static Rota rota;

  @BeforeAll
  static void open() {
    rota = Rota.connect(NOWHERE);
  }

  @AfterAll
  static void close() {
    rota.close();
  }

  static List<Bound> bounds() {
    return List.of(
        bound("lease", b -> b.lease(Duration.ofMillis(999)), b -> b.lease(Duration.ofSeconds(1))),
        bound(
            "lease",
            b -> b.lease(Duration.ofHours(1).plusNanos(1)),
            b -> b.lease(Duration.ofHours(1))),
        bound("payloadLimit", b -> b.payloadLimit(0), b -> b.payloadLimit(1)),
        bound("payloadLimit", b -> b.payloadLimit(1_048_577), b -> b.payloadLimit(1_048_576)),
        bound("poolSize", b -> b.poolSize(1), b -> b.poolSize(2)),
        bound("poolSize", b -> b.poolSize(10_001), b -> b.poolSize(10_000)),
        bound(
            "registryRefresh",
            b -> b.registryRefresh(Duration.ofMillis(99)),
            b -> b.registryRefresh(Duration.ofMillis(100))),
        bound(
            "registryRefresh",
            b -> b.registryRefresh(Duration.ofSeconds(61)),
            b -> b.registryRefresh(Duration.ofMinutes(1))),
        bound(
            "statementTimeout",
            b -> b.statementTimeout(Duration.ZERO),
            b -> b.statementTimeout(Duration.ofSeconds(1))),
        bound(
            "statementTimeout",
            b -> b.statementTimeout(Duration.ofHours(2)),
            b -> b.statementTimeout(Duration.ofHours(1))),
        bound("stackFrames", b -> b.stackFrames(-1), b -> b.stackFrames(0)),
        bound("stackFrames", b -> b.stackFrames(101), b -> b.stackFrames(100)),
        bound("asyncMemory", b -> b.asyncMemory(1_048_575), b -> b.asyncMemory(1_048_576)));
  }

  @ParameterizedTest
  @MethodSource("bounds")
  void aValueOutOfBoundsIsRefusedByName(Bound bound) {
    assertRefused(bound.option, () -> bound.over.accept(Rota.builder(NOWHERE)));
    assertThatCode(() -> bound.within.accept(Rota.builder(NOWHERE))).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1rota", "Rota", "ro ta", "rota\"; drop schema public", "röta", "_rota"})
  void aSchemaIsAPlainWord(String schema) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Rota.builder(NOWHERE).schema(schema))
        .withMessageContaining("schema is '" + schema + "'")
        .withMessageContaining("1 to 40 characters");
  }

  @Test
  void aSchemaHasAtMostFortyCharacters() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Rota.builder(NOWHERE).schema("x".repeat(41)));
    assertThat(Rota.builder(NOWHERE).schema("x".repeat(40))).isNotNull();
    assertThat(Rota.builder(NOWHERE).schema("rota2_test")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rota_1", "my_rota_27"})
  void aSchemaIsNotNamedLikeThatOfATenant(String schema) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Rota.builder(NOWHERE).schema(schema))
        .withMessageContaining("'" + schema + "'")
        .withMessageContaining("tenant");
  }

  @ParameterizedTest
  @CsvSource({
    "concurrency, 0, 1",
    "concurrency, 10001, 10000",
    "batchSize, 0, 1",
    "batchSize, 10001, 10000"
  })
  void aWorkerHasBoundsToo(String option, int over, int within) {
    Worker.Builder worker = rota.worker();
    boolean batches = option.equals("batchSize");
    assertRefused(option, () -> set(worker, batches, over));
    assertThat(set(worker, batches, within)).isSameAs(worker);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S"})
  void aPollIntervalIsPositive(String interval) {
    assertRefused("pollInterval", () -> rota.worker().pollInterval(Duration.parse(interval)));
  }

  @Test
  void aKindHasOneHandler() {
    Worker.Builder worker = rota.worker().handle("k", task -> {});
    for (Consumer<String> second :
        List.<Consumer<String>>of(
            kind -> worker.handle(kind, task -> {}),
            kind -> worker.handleBatch(kind, tasks -> {}),
            kind -> worker.handleInTransaction(kind, (task, connection) -> {}))) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> second.accept("k"))
          .withMessageContaining("'k' has a handler already");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> second.accept("a b"))
          .withMessageContaining("'a b' is malformed");
    }
  }

  @Test
  void handlersFitTheDeliveryMode() {
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> rota.worker().start())
        .withMessageContaining("needs a handler");
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(
            () ->
                rota.worker().handle("k", task -> {}).delivery(DeliveryMode.TRANSACTIONAL).start())
        .withMessageContaining("handleInTransaction");
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> rota.worker().handleInTransaction("k", (task, connection) -> {}).start())
        .withMessageContaining("delivery(TRANSACTIONAL)");
  }

  @Test
  void aRetryPolicyHasBounds() {
    assertRefused("maxAttempts", () -> RetryPolicy.of(0, attempt -> Duration.ZERO));
    assertRefused("maxAttempts", () -> RetryPolicy.of(1_000_001, attempt -> Duration.ZERO));
    Duration second = Duration.ofSeconds(1);
    assertRefused("first pause", () -> RetryPolicy.exponential(3, Duration.ZERO, second));
    assertRefused("first pause", () -> RetryPolicy.exponential(3, second, Duration.ofMillis(999)));
  }

  @Test
  void aRetryPolicyDoublesItsPausesWithinAQuarter() {
    RetryPolicy policy = RetryPolicy.exponential(5, Duration.ofSeconds(1), Duration.ofSeconds(6));
    long[] expected = {1_000, 2_000, 4_000, 6_000, 6_000};
    for (int attempt = 1; attempt <= 5; attempt++) {
      for (int i = 0; i < 100; i++) {
        assertThat(policy.pauseAfter(attempt).toMillis())
            .isBetween(expected[attempt - 1] * 3 / 4, expected[attempt - 1] * 5 / 4);
      }
    }
    assertThat(policy.retries(4)).isTrue();
    assertThat(policy.retries(5)).isFalse();
    assertThat(policy.pauseAfter(1_000_000)).isLessThan(Duration.ofSeconds(8));
    assertThat(RetryPolicy.never().retries(1)).isFalse();
    assertThat(RetryPolicy.of(2, attempt -> second(-1)).pauseAfter(1)).isZero();
  }

  @Test
  void pausesMayBeFixedOrGrowByAStep() {
    Duration fiveMinutes = Duration.ofMinutes(5);
    RetryPolicy fixed = RetryPolicy.fixed(3, fiveMinutes);
    assertThat(fixed.pauseAfter(1)).isEqualTo(fixed.pauseAfter(2)).isEqualTo(fiveMinutes);
    RetryPolicy linear = RetryPolicy.linear(3, fiveMinutes);
    assertThat(linear.pauseAfter(1)).isEqualTo(fiveMinutes);
    assertThat(linear.pauseAfter(2)).isEqualTo(Duration.ofMinutes(10));
    assertThat(linear.retries(2)).isTrue();
    assertThat(linear.retries(3)).isFalse();
    assertRefused("pause", () -> RetryPolicy.fixed(3, second(-1)));
    assertRefused("step", () -> RetryPolicy.linear(3, second(-1)));
  }

  @Test
  void aBuilderMayBeUsedAgain() {
    AtomicInteger asked = new AtomicInteger();
    Rota.Builder builder =
        Rota.builder(NOWHERE)
            .retry(
                RetryPolicy.of(
                    7,
                    attempt -> {
                      asked.incrementAndGet();
                      return Duration.ZERO;
                    }));
    try (Rota first = builder.build();
        Rota second = builder.schema("other").build()) {
      assertThat(first).isNotSameAs(second);
      assertThat(asked).hasValue(0);
    }
  }

  private static Worker.Builder set(Worker.Builder worker, boolean batches, int value) {
    return batches ? worker.batchSize(value) : worker.concurrency(value);
  }

  private static Duration second(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private static void assertRefused(String option, Runnable call) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(call::run)
        .withMessageStartingWith(option + " is ");
  }

  private static Bound bound(
      String option, Consumer<Rota.Builder> over, Consumer<Rota.Builder> within) {
    return new Bound(option, over, within);
  }

  /** An option with a value just beyond its bound, and the last one within. */
  record Bound(String option, Consumer<Rota.Builder> over, Consumer<Rota.Builder> within) {

    @Override
    public String toString() {
      return option;
    }
  }
}
