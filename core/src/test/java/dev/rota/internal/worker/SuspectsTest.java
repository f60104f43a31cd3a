package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DatabaseException;
import dev.rota.internal.worker.Suspects.Attempt;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests which attempts a transactional worker fails without running them. */
class SuspectsTest {

  private static final Attempt FIRST = new Attempt(7, 1);
  private static final Attempt SECOND = new Attempt(7, 2);
  private static final Throwable LOSS = failure(true);
  private static final Throwable REFUSAL = failure(false);

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
  private final Suspects suspects = new Suspects(clock::get);

  @Test
  void oneLostConnectionSuspectsNoTaskAndTheSecondDoes() {
    suspects.accuse(FIRST, LOSS);
    assertThat(suspects.reasonAgainst(FIRST)).isNull();
    suspects.accuse(new Attempt(8, 1), LOSS);
    assertThat(suspects.reasonAgainst(FIRST)).isNull();
    suspects.accuse(FIRST, LOSS);
    assertThat(suspects.reasonAgainst(FIRST)).isSameAs(LOSS);
  }

  @Test
  void anyOtherReasonSuspectsATaskAtOnceAndForThatAttemptAlone() {
    suspects.accuse(FIRST, REFUSAL);
    assertThat(suspects.reasonAgainst(FIRST)).isSameAs(REFUSAL);
    assertThat(suspects.reasonAgainst(SECOND)).isNull();
    suspects.acquit(FIRST);
    assertThat(suspects.reasonAgainst(FIRST)).isNull();
  }

  @Test
  void aSuspicionEndsAfterAnHour() {
    suspects.accuse(FIRST, REFUSAL);
    suspects.accuse(SECOND, LOSS);
    clock.addAndGet(TimeUnit.HOURS.toNanos(1) - 1);
    assertThat(suspects.reasonAgainst(FIRST)).isSameAs(REFUSAL);
    clock.incrementAndGet();
    assertThat(suspects.reasonAgainst(FIRST)).isNull();
    suspects.accuse(SECOND, LOSS);
    assertThat(suspects.reasonAgainst(SECOND)).isNull();
  }

  @Test
  void theOldestSuspicionMakesRoom() {
    for (int task = 0; task <= Suspects.MOST; task++) {
      suspects.accuse(new Attempt(task, 1), REFUSAL);
    }
    assertThat(suspects.reasonAgainst(new Attempt(0, 1))).isNull();
    assertThat(suspects.reasonAgainst(new Attempt(1, 1))).isNotNull();
    assertThat(suspects.reasonAgainst(new Attempt(Suspects.MOST, 1))).isNotNull();
  }

  private static DatabaseException failure(boolean unavailable) {
    return new DatabaseException("failed", new SQLException("in a test"), unavailable, false);
  }
}
