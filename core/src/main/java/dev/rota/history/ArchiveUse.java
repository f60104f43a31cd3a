package dev.rota.history;

import dev.rota.Rota;
import java.util.List;
import java.util.stream.Stream;

/**
 * The archive files that a read of history used. Files that cannot hold any requested rows are in
 * neither list.
 *
 * @param opened the keys of the files that were opened, in this order
 * @param missed the keys of files that were not opened, because this Rota has no archive; their
 *     rows are missing in the result, see {@link Rota.Builder#archive}
 */
public record ArchiveUse(List<String> opened, List<String> missed) {

  /** The value of a read without any archive files. */
  public static final ArchiveUse NONE = new ArchiveUse(List.of(), List.of());

  /**
   * Copies the lists.
   *
   * @param opened the files that were opened
   * @param missed the files that were not opened
   */
  public ArchiveUse {
    opened = List.copyOf(opened);
    missed = List.copyOf(missed);
  }

  /**
   * Merges this with the value of a later read, such as the next page; each file counts once.
   *
   * @param later the later one
   * @return both
   */
  public ArchiveUse and(ArchiveUse later) {
    return new ArchiveUse(together(opened, later.opened), together(missed, later.missed));
  }

  private static List<String> together(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).distinct().toList();
  }
}
