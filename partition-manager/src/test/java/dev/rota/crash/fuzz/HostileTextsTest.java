package dev.rota.crash.fuzz;

import dev.rota.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The texts that are known to be hostile, over every way in; the fuzzer looks for more. */
class HostileTextsTest {

  @Test
  void eachIsTakenAsItIsOrRefusedAsBadInput() {
    List<String> texts = HostileTexts.all();
    try (TestDatabase database = TestDatabase.create();
        EntryPoints entries = new EntryPoints(database.jdbcUrl())) {
      for (int way = 0; way < entries.count(); way++) {
        for (String text : texts) {
          if (text.length() < 300 || !entries.isCommand(way)) {
            entries.take(way, text);
          }
        }
      }
    }
  }
}
