package dev.rota.crash.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Passes the known hostile texts to every path; the fuzzer searches for more. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("exhaustive")
class HostileTextsTest {

  private TestDatabase database;
  private EntryPoints entries;

  @BeforeAll
  void open() {
    database = TestDatabase.create();
    entries = new EntryPoints(database.jdbcUrl());
  }

  @AfterAll
  void close() {
    entries.close();
    database.close();
  }

  Stream<IntakePath> paths() {
    return entries.ways().stream();
  }

  @ParameterizedTest
  @MethodSource("paths")
  void eachIsTakenAsItIsOrRefusedAsBadInput(IntakePath path) {
    List<String> wrong = new ArrayList<>();
    for (String text : HostileTexts.all()) {
      if (text.length() < 300 || !path.slow()) {
        take(path, text, wrong);
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void take(IntakePath path, String text, List<String> wrong) {
    try {
      EntryPoints.take(path, text);
    } catch (AssertionError e) {
      wrong.add(e.getMessage());
    }
  }
}
