package dev.rota.archive.internal.parquet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes a table in order into one Parquet file. DuckDB does not sort more wide rows than its
 * memory holds, however much it may spill to disk. With 2.0 a gigabyte of rows of two kilobytes
 * fails with 256 MiB. So a large table is sorted in parts, each a separate file, which are then
 * copied one after the other. Used by one thread.
 */
final class SortedParts {

  private static final String ORDER = "created_at, id, attempt, batch_id";

  /** The rows in a row group of a part: few, since each group is held in memory as a whole. */
  private static final int ROWS_IN_GROUP_OF_PART = 2_048;

  private static final String PART =
      "copy (select * from %s where %s order by "
          + ORDER
          + ") to %s (format parquet, compression uncompressed, row_group_size "
          + ROWS_IN_GROUP_OF_PART
          + ")";

  private final DuckDbFile duck;
  private final String table;
  private final Path folder;

  /** Creates the parts of a table; their files go into the folder. */
  SortedParts(DuckDbFile duck, String table, Path folder) {
    this.duck = duck;
    this.table = table;
    this.folder = folder;
  }

  /**
   * Writes the file.
   *
   * @param cuts the ends of all parts but the last one, none for a table that is sorted whole
   * @param columns the columns to write
   * @param options the options of the file, besides its format
   */
  void write(List<PartBoundaries.Place> cuts, String columns, Path file, String options)
      throws IOException {
    String rows =
        cuts.isEmpty()
            ? table + " order by " + ORDER
            : parts(cuts).stream()
                .map(part -> DuckDbFile.literal(part.toString()))
                .collect(Collectors.joining(", ", "read_parquet([", "])"));
    duck.execute(
        "copy (select %s from %s) to %s (format parquet, %s)"
            .formatted(columns, rows, DuckDbFile.literal(file.toString()), options));
  }

  private List<Path> parts(List<PartBoundaries.Place> cuts) throws IOException {
    List<Path> parts = new ArrayList<>();
    for (int i = 0; i <= cuts.size(); i++) {
      Path part = folder.resolve("part-" + i + ".parquet");
      String rows = i == 0 ? "true" : after(cuts.get(i - 1));
      String upTo = i == cuts.size() ? "true" : upTo(cuts.get(i));
      duck.execute(
          PART.formatted(table, rows + " and " + upTo, DuckDbFile.literal(part.toString())));
      parts.add(part);
    }
    return parts;
  }

  // The first condition alone lets DuckDB skip most of the table.

  private static String after(PartBoundaries.Place place) {
    return "created_at >= %1$d and (created_at > %1$d or id > %2$d)"
        .formatted(place.createdAt(), place.id());
  }

  private static String upTo(PartBoundaries.Place place) {
    return "created_at <= %1$d and (created_at < %1$d or id <= %2$d)"
        .formatted(place.createdAt(), place.id());
  }
}
