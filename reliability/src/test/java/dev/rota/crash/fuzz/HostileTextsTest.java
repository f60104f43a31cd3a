package dev.rota.crash.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Passes the known hostile texts to every path; the fuzzer searches for more. */
class HostileTextsTest {

  @Test
  void eachIsTakenAsItIsOrRefusedAsBadInput() {
    List<String> texts = HostileTexts.all();
    List<String> wrong = new ArrayList<>();
    try (TestDatabase database = TestDatabase.create();
        EntryPoints entries = new EntryPoints(database.jdbcUrl())) {
      for (IntakePath way : entries.ways()) {
        for (String text : texts) {
          if (text.length() < 300 || !way.slow()) {
            take(way, text, wrong);
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void take(IntakePath way, String text, List<String> wrong) {
    try {
      EntryPoints.take(way, text);
    } catch (AssertionError e) {
      wrong.add(e.getMessage());
    }
  }
}
