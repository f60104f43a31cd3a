package dev.rota.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.db.StatementPipeline.StatementCache;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which statements stay prepared, and that their number shrinks with a backend's memory. */
class StatementCacheTest {

  /** As long as a claim. */
  private static final String CLAIM = "?".repeat(740);

  private final Set<String> kept = new HashSet<>();
  private StatementCache<String> cache;

  @BeforeEach
  void create() {
    cache =
        new StatementCache<>(
            text -> {
              kept.add(text);
              return text;
            },
            kept::remove,
            StatementCache.room(180_000));
  }

  @Test
  void keepsWhatRunsForTheSecondTime() throws SQLException {
    assertThat(cache.get("a")).isNull();
    assertThat(cache.get("b")).isNull();
    assertThat(cache.get("a")).isEqualTo("a");
    assertThat(kept).containsExactly("a");
  }

  @Test
  void statementsInUseKeepTheirPlacesFromOthers() throws SQLException {
    runTwice(0, 400);
    assertThat(kept).hasSizeBetween(248, 268).contains(claim(0));
    int before = kept.size();
    runTwice(400, 500);
    assertThat(kept).hasSizeLessThanOrEqualTo(before).doesNotContain(claim(499));
  }

  @Test
  void keepsFewerTheMoreTablesTheBackendHasSeen() throws SQLException {
    runTwice(0, 200);
    assertThat(kept).hasSize(200);
    for (int i = 200; i < 800; i++) {
      assertThat(cache.get(claim(i))).isNull();
    }
    cache.tidyUp();
    assertThat(kept).hasSizeBetween(136, 156).contains(claim(199)).doesNotContain(claim(0));
  }

  @Test
  void keepsFewerTheMoreTablesWereDefined() throws SQLException {
    cache.defined(10_000);
    runTwice(0, 250);
    assertThat(kept).hasSizeBetween(128, 158);
  }

  @Test
  void keepsFewerTheMoreTablesWereOpened() throws SQLException {
    cache.opened(3_000, 5_000);
    cache.opened(3_000, 5_000);
    cache.opened(3_000, 5_000);
    runTwice(0, 250);
    assertThat(kept).as("5,000 of them, once").hasSizeBetween(95, 115);
  }

  @Test
  void keepsSomeWhateverTheBackendRemembers() throws SQLException {
    cache.defined(1_000_000);
    runTwice(0, 250);
    cache.tidyUp();
    assertThat(kept).hasSize(32);
  }

  private void runTwice(int from, int to) throws SQLException {
    for (int i = from; i < to; i++) {
      String first = cache.get(claim(i));
      assertThat(first).isNull();
      String unused = cache.get(claim(i));
    }
  }

  private static String claim(int number) {
    return CLAIM + number;
  }
}
