package dev.rota.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatementCacheTest {

  private static final int TIMES = 3;

  private final StatementCache prepared = new StatementCache("test_");
  private int kept;

  @Test
  void keepsFewerTheMoreTablesTheBackendHasSeen() {
    runRepeatedly(0, 200);
    assertThat(kept).isEqualTo(200);
    runRepeatedly(200, 1_200);
    assertThat(tidyUp()).as("as soon as the room is less").isEqualTo(32);
    runRepeatedly(0, 1_200);
    assertThat(kept).isEqualTo(32);
    assertThat(tidyUp()).isEqualTo(32);
  }

  @Test
  void keepsFewerTheMoreTablesTheBackendHasSeenByOtherStatements() {
    for (int i = 0; i < 2_000; i++) {
      prepared.caches().sent("insert into t" + i);
    }
    runRepeatedly(0, 250);
    assertThat(kept).isBetween(135, 140);
    for (int i = 0; i < 2_000; i++) {
      prepared.caches().sent("insert into t" + i);
    }
    runRepeatedly(0, 250);
    assertThat(kept).isBetween(135, 140);
  }

  @Test
  void keepsFewerTheMoreTablesWereDefined() {
    prepared.caches().defined(10_000);
    runRepeatedly(0, 250);
    assertThat(kept).isBetween(85, 90);
  }

  @Test
  void keepsSomeWhateverTheBackendRemembers() {
    prepared.caches().defined(1_000_000);
    runRepeatedly(0, 250);
    assertThat(kept).isEqualTo(32);
  }

  private void runRepeatedly(int from, int to) {
    for (int time = 0; time < TIMES; time++) {
      for (int i = from; i < to; i++) {
        kept += count(prepared.texts("select " + i, List.of()), "prepare ");
      }
    }
  }

  private int tidyUp() {
    kept -= count(prepared.tidyUp(), "deallocate ");
    return kept;
  }

  private static int count(List<String> texts, String beginning) {
    return (int) texts.stream().filter(text -> text.startsWith(beginning)).count();
  }
}
