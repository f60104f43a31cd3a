package dev.rota.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IdSetTest {

  @Test
  void tellsWhetherAnIdIsNew() {
    IdSet set = new IdSet();
    for (long id : new long[] {0, 1, 63, 64, 65_535, 65_536, Long.MAX_VALUE}) {
      assertThat(set.add(id)).isTrue();
      assertThat(set.add(id)).isFalse();
    }
    assertThat(set.size()).isEqualTo(7);
  }

  @Test
  void comparesSets() {
    IdSet left = of(LongStream.range(0, 100_000));
    IdSet right = of(LongStream.range(50_000, 200_000));
    assertThat(left.countMissingIn(right)).isEqualTo(50_000);
    assertThat(right.countMissingIn(left)).isEqualTo(100_000);
    assertThat(left.countCommon(right)).isEqualTo(50_000);
    left.addAll(right);
    assertThat(left.size()).isEqualTo(200_000);
  }

  @Test
  void manyThreadsAddEachIdOnce() {
    IdSet set = new IdSet();
    long added =
        IntStream.range(0, 400_000)
            .parallel()
            .mapToLong(i -> new SplittableRandom(i % 200_000).nextLong(1_000_000_000))
            .filter(set::add)
            .count();
    assertThat(added).isEqualTo(set.size()).isLessThanOrEqualTo(200_000);
  }

  private static IdSet of(LongStream ids) {
    IdSet set = new IdSet();
    ids.forEach(set::add);
    return set;
  }
}
