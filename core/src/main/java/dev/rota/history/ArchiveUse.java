package dev.rota.history;

import dev.rota.Rota;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a reading of history had to do with the archive. Files that cannot hold anything of what was
 * asked for are in neither list.
 *
 * @param opened the keys of the files that were opened, in this order
 * @param missed the keys of files that were not, because this Rota has no archive: what stands in
 *     them is missing in the result; see {@link Rota.Builder#archive}
 */
public record ArchiveUse(List<String> opened, List<String> missed) {

  /** Of a reading that had nothing to do with the archive. */
  public static final ArchiveUse NONE = new ArchiveUse(List.of(), List.of());

  /**
   * Copies the lists.
   *
   * @param opened the files that were opened
   * @param missed the files that were not
   */
  public ArchiveUse {
    opened = List.copyOf(opened);
    missed = List.copyOf(missed);
  }

  /**
   * Together with that of a later reading, such as the next page; each file counts once.
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
