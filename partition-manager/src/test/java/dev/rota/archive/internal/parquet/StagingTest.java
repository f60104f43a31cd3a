package dev.rota.archive.internal.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagingTest {

  private static final int ROWS = 2_500;
  private static final int CHARACTERS = 2_500;

  /** An eighth of it is sorted at once: more than these characters, less than three times them. */
  private static final long MEMORY = 128L << 20;

  private static final String SOURCE =
      """
      select i + 1, 1, null::bigint, 1, 'done', 'k', repeat('%s', %d), null, null, 0, 0, 0,
             1000000 * i, null::bigint
        from range(%d) t(i)""";

  @TempDir private Path folder;

  @Test
  void whatIsSortedAtOnceIsMeasuredInBytes() throws Exception {
    assertThat(partsOfAFile("x")).as("parts of one byte a character").isZero();
    assertThat(partsOfAFile("語")).as("parts of three bytes a character").isEqualTo(2);
  }

  /** Those that write in the background can wait for ever where a COPY fails. */
  @Test
  void duckDbUsesTheThreadOfItsCallerAlone() throws Exception {
    String threads = "select value::int from duckdb_settings() where name = '%s'";
    try (Staging staging = Staging.open(folder, "staging-", MEMORY)) {
      assertThat(number(staging.duck(), threads.formatted("threads"))).isEqualTo(1);
      assertThat(number(staging.duck(), threads.formatted("async_threads"))).isZero();
    }
  }

  private static int number(DuckDbFile duck, String query) throws IOException {
    return duck.query(
        query,
        rows -> {
          rows.next();
          return rows.getInt(1);
        });
  }

  private long partsOfAFile(String character) throws Exception {
    try (Staging staging = Staging.open(folder, "staging-", MEMORY);
        Connection source = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = source.createStatement();
        ResultSet rows = statement.executeQuery(SOURCE.formatted(character, CHARACTERS, ROWS))) {
      while (rows.next()) {
        staging.append(
            rows, new Staging.Ending("done", null, null), new @Nullable Long[] {1L, 2L, 3L});
      }
      Path file = staging.file("segment.parquet");
      staging.write(file, Map.of("fact", "known"));
      assertThat(staging.duck().contents(DuckDbFile.parquet(file))).isEqualTo(staging.contents());
      return parts(file);
    }
  }

  private static long parts(Path file) throws IOException {
    try (Stream<Path> beside = Files.list(file.getParent())) {
      return beside.filter(each -> each.getFileName().toString().startsWith("part-")).count();
    }
  }
}
