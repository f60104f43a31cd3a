package dev.rota.limits.internal.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.DatabaseException;
import dev.rota.InvalidTaskException;
import dev.rota.RotaException;
import dev.rota.internal.tenant.TenantAllowances.Charge;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.internal.quota.PayloadLease.Grant;
import dev.rota.limits.internal.quota.PayloadLease.Period;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests what a process takes from its lease, when that is void, and what goes back into it. */
class PayloadLeaseTest {

  private static final Period FIRST = new Period("day", 0);
  private static final Period NEXT = new Period("day", 86_400);
  private static final long CHUNK = 100;
  private static final long LASTS = 1_000;

  private final AtomicLong now = new AtomicLong();
  private final AtomicInteger histories = new AtomicInteger();
  private final PayloadLease lease = new PayloadLease(now::get, histories::get);
  private final List<Long> asked = new ArrayList<>();
  private Period period = FIRST;
  private long allowed = 10_000;

  @Test
  void bytesAreTakenWithoutAStatementWhileThereAreSome() {
    take(60);
    take(40);
    assertThat(asked).containsExactly(60L);
    take(60);
    take(70);
    assertThat(asked).containsExactly(60L, 60L, 30L);
    assertThat(lease.takeRest(7)).isEqualTo(new PayloadLease.Rest(7, FIRST, 70));
    assertThat(lease.takeRest(7).bytes()).isZero();
  }

  @Test
  void whatIsLeftIsVoidWhenThePeriodIsOver() {
    take(60);
    now.set(LASTS - 1);
    take(10);
    now.set(LASTS);
    period = NEXT;
    take(20);
    assertThat(asked).containsExactly(60L, 20L);
    assertThat(lease.takeRest(1)).isEqualTo(new PayloadLease.Rest(1, NEXT, CHUNK - 20));
  }

  /** The clock of the database decides, and the process asked for what it lacked before. */
  @Test
  void whatIsLeftOfAnotherPeriodDoesNotCount() {
    take(60);
    period = NEXT;
    take(110);
    assertThat(asked).containsExactly(60L, 70L, 10L);
    assertThat(lease.takeRest(1).bytes()).isEqualTo(2 * CHUNK - 110);
  }

  @Test
  void bytesOfACallThatStoredNothingGoBack() {
    for (Throwable failure :
        List.of(
            new SQLException(),
            new InvalidTaskException("no", "kind", 0),
            new DatabaseException("no", new SQLException(), false, false))) {
      take(60).failed(failure);
      assertThat(lease.takeRest(1).bytes()).isEqualTo(CHUNK);
    }
  }

  @Test
  void bytesOfACallThatMayHaveStoredTasksDoNot() {
    for (Throwable failure :
        List.of(
            new OutOfMemoryError(),
            new IllegalStateException(),
            new DatabaseException("lost", new SQLException(), false, true))) {
      take(60).failed(failure);
      assertThat(lease.takeRest(1).bytes()).isEqualTo(CHUNK - 60);
    }
  }

  @Test
  void bytesOfAFormerPeriodDoNotGoBack() {
    Charge former = take(60);
    now.set(LASTS);
    period = NEXT;
    take(10);
    former.failed(new SQLException());
    assertThat(lease.takeRest(1).bytes()).isEqualTo(CHUNK - 10);
  }

  @Test
  void bytesOfAFormerHistoryAreVoidAndDoNotGoBack() {
    Charge former = take(60);
    histories.incrementAndGet();
    former.failed(new SQLException());
    take(10);
    assertThat(asked).containsExactly(60L, 10L);
    histories.incrementAndGet();
    assertThat(lease.takeRest(1).bytes()).isZero();
  }

  @Test
  void aLeaseThatMeetsAnotherHistoryAsksForAllThatIsMissing() {
    take(60);
    Charge unused =
        lease.take(
            110,
            bytes -> {
              if (asked.size() == 1) {
                histories.incrementAndGet();
              }
              return grant(bytes);
            },
            grant -> new RotaException("refused"));
    assertThat(asked).containsExactly(60L, 70L, 10L);
  }

  @Test
  void aRefusalLeavesWhatThereIs() {
    take(60);
    allowed = CHUNK;
    assertThatExceptionOfType(RotaException.class).isThrownBy(() -> take(50));
    take(40);
    assertThat(asked).containsExactly(60L, 10L);
  }

  @Test
  void aTenantThatLostItsQuotaPaysNothing() {
    allowed = 0;
    take(60).failed(new SQLException());
    take(60);
    assertThat(asked).containsExactly(60L, 60L);
    assertThat(lease.takeRest(1).bytes()).isZero();
  }

  @Test
  void whoWaitsGivesUpIfThePeriodEndsTooLate() {
    Duration patience = Duration.ofHours(1);
    AtomicInteger calls = new AtomicInteger();
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(
            () ->
                RoomWait.enqueue(
                    patience,
                    () -> {
                      assertThat(calls.incrementAndGet()).as("calls").isOne();
                      throw full(patience.plusMinutes(1));
                    }));
    assertThat(calls).hasValue(1);
    assertThat(
            RoomWait.enqueue(
                patience,
                () -> {
                  if (calls.incrementAndGet() < 4) {
                    throw full(Duration.ofMinutes(59));
                  }
                  return 7;
                }))
        .isEqualTo(7);
  }

  private static QuotaExceededException full(Duration retryAfter) {
    return new QuotaExceededException(
        "full", "acme", new QuotaExceededException.Use("maxPayload", 1, 1), retryAfter);
  }

  private Charge take(long bytes) {
    return lease.take(bytes, this::grant, grant -> new RotaException("refused"));
  }

  private Grant grant(long bytes) {
    asked.add(bytes);
    boolean fits = allowed > 0 && asked.size() * CHUNK <= allowed;
    return new Grant(allowed, 0, fits ? Math.max(bytes, CHUNK) : 0, period, LASTS);
  }
}
