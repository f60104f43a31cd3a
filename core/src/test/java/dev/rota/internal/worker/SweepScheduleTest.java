package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class SweepScheduleTest {

  private static final long ROUND = 60_000;

  @Test
  void goesAsFarAsTheTimeAllows() {
    SweepSchedule sweep = new SweepSchedule(ROUND, 0);
    assertThat(sweep.next(600, 100)).isEqualTo(new SweepSchedule.Slice(0, 0));
    assertThat(sweep.next(600, 6_000)).isEqualTo(new SweepSchedule.Slice(0, 60));
    assertThat(sweep.next(600, 6_001)).isEqualTo(new SweepSchedule.Slice(60, 60));
    assertThat(sweep.next(600, 12_000)).isEqualTo(new SweepSchedule.Slice(60, 120));
    assertThat(sweep.next(600, 600_000)).isEqualTo(new SweepSchedule.Slice(120, 600));
    assertThat(sweep.next(600, 606_000)).isEqualTo(new SweepSchedule.Slice(0, 60));
  }

  @Test
  void passesNoTableOverHoweverManyThereAre() {
    for (int tables : new int[] {1, 3, 7, 100, 30_000}) {
      SweepSchedule sweep = new SweepSchedule(ROUND, 0);
      BitSet swept = new BitSet();
      for (long now = 0; now <= 3 * ROUND; now += 130) {
        SweepSchedule.Slice slice = sweep.next(tables, now);
        swept.set(slice.from(), slice.to());
      }
      assertThat(swept.cardinality()).as(tables + " tables").isEqualTo(tables);
    }
  }

  @Test
  void followsAListThatShrinks() {
    SweepSchedule sweep = new SweepSchedule(ROUND, 0);
    assertThat(sweep.next(600, 30_000)).isEqualTo(new SweepSchedule.Slice(0, 300));
    assertThat(sweep.next(100, 36_000)).isEqualTo(new SweepSchedule.Slice(0, 10));
    assertThat(sweep.next(0, 42_000)).isEqualTo(new SweepSchedule.Slice(0, 0));
  }
}
