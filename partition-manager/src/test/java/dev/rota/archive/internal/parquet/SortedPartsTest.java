package dev.rota.archive.internal.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests tables that are sorted in parts. */
class SortedPartsTest {

  private static final int ROWS = 5_000;
  private static final long BYTES_OF_ROW = 10;
  private static final String OPTIONS = "compression zstd, row_group_size 2048";

  @TempDir private Path folder;
  private final Random random = new Random(7);

  @Test
  @Tag("exhaustive")
  void theOrderIsTheSameInHoweverManyPartsTheRowsAreSorted() throws Exception {
    try (DuckDbFile duck = DuckDbFile.open(folder, 128L << 20)) {
      PartBoundaries cuts = fill(duck);
      List<String> whole = write(duck, "whole", List.of());
      assertThat(whole).hasSize(ROWS);
      List<PartBoundaries.Place> few = cuts.every(ROWS / 3 * BYTES_OF_ROW);
      assertThat(few).hasSize(3);
      assertThat(write(duck, "few", few)).isEqualTo(whole);
      List<PartBoundaries.Place> many = cuts.every(100 * BYTES_OF_ROW);
      assertThat(many).hasSizeBetween(45, 50);
      assertThat(write(duck, "many", many)).isEqualTo(whole);
    }
  }

  @Test
  void whatFitsIntoOnePartIsNotCut() {
    PartBoundaries cuts = new PartBoundaries(10);
    for (long id = 0; id < 99; id++) {
      cuts.add(1, id, 10);
    }
    assertThat(cuts.every(1_000)).isEmpty();
  }

  @Test
  void theSampleStaysSmallAndItsPartsAreOfLikeSize() {
    PartBoundaries cuts = new PartBoundaries(1);
    for (long id = 100_000; id > 0; id--) {
      cuts.add(id % 1_000, id, 10);
    }
    List<PartBoundaries.Place> places = cuts.every(100_000);
    assertThat(places).hasSizeBetween(9, 10);
    for (int i = 0; i < 9; i++) {
      assertThat(places.get(i).createdAt()).isBetween(100L * i + 60, 100L * i + 140);
    }
  }

  @Test
  void aLargeRowIsNotTakenForASmallOne() {
    PartBoundaries cuts = new PartBoundaries(10);
    for (long id = 0; id < 8; id++) {
      cuts.add(1, id, 500);
    }
    assertThat(cuts.every(1_000))
        .extracting(PartBoundaries.Place::id)
        .as("ends of parts of two rows each")
        .containsExactly(1L, 3L, 5L, 7L);
  }

  /**
   * Many rows of one time, as of tasks that one transaction added, and several attempts of some.
   */
  private PartBoundaries fill(DuckDbFile duck) throws IOException {
    duck.execute(
        "create table t (id bigint, attempt integer, batch_id bigint, created_at bigint, p varchar)");
    PartBoundaries cuts = new PartBoundaries(BYTES_OF_ROW);
    StringJoiner rows = new StringJoiner(", ", "insert into t values ", "");
    for (int i = 0; i < ROWS; i++) {
      long id = random.nextInt(ROWS * 9 / 10);
      long createdAt = id < ROWS / 2 ? 1_000 : id / 3;
      rows.add("(%d, 1, %d, %d, 'p%d')".formatted(id, i, createdAt, i));
      cuts.add(createdAt, id, BYTES_OF_ROW);
    }
    duck.execute(rows.toString());
    return cuts;
  }

  /** The rows of the file, in its order. */
  private List<String> write(DuckDbFile duck, String name, List<PartBoundaries.Place> cuts)
      throws IOException {
    Path file = folder.resolve(name + ".parquet");
    new SortedParts(duck, "t", Files.createDirectories(folder.resolve(name)))
        .write(cuts, "*", file, OPTIONS);
    return duck.query(
        "select f::varchar from " + DuckDbFile.parquet(file) + " f",
        rows -> {
          List<String> all = new ArrayList<>();
          while (rows.next()) {
            all.add(rows.getString(1));
          }
          return all;
        });
  }
}
