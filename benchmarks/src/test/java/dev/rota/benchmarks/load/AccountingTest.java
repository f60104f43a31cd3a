package dev.rota.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AccountingTest {

  private final Accounting accounting = new Accounting();

  @Test
  void whatIsAcknowledgedAndNeverHandledIsLost() {
    accounting.requested(4);
    accounting.acknowledged(List.of(1L, 2L, 3L));
    assertThat(accounting.outstanding()).isEqualTo(1);
    accounting.acknowledged(1_000_000);
    accounting.handled(1);
    accounting.handled(1_000_000);
    assertThat(accounting.outstanding()).isZero();
    assertThat(accounting.enqueued()).isEqualTo(4);
    assertThat(accounting.backlog()).isEqualTo(2);
    assertThat(accounting.lost()).isEqualTo(2);
    assertThat(accounting.duplicated()).isZero();
  }

  @Test
  void whatIsHandledTwiceIsDuplicatedAndHidesNoLoss() {
    accounting.acknowledged(List.of(1L, 2L));
    accounting.handled(1);
    accounting.handled(1);
    assertThat(accounting.handled()).isEqualTo(1);
    assertThat(accounting.duplicated()).isEqualTo(1);
    assertThat(accounting.lost()).isEqualTo(1);
  }

  @Test
  void handlersMayBeAheadOfTheAnswerToTheProducer() {
    accounting.handled(7);
    assertThat(accounting.backlog()).isZero();
    accounting.acknowledged(7);
    assertThat(accounting.lost()).isZero();
  }
}
