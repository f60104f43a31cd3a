package dev.rota;

import java.util.List;

/**
 * What a reading of history had to do with the archive. Files that cannot hold anything of what was
 * asked for are in neither list.
 *
 * @param opened the keys of the files that were opened, in this order
 * @param missed the keys of files that were not, because this Rota has no archive: what stands in
 *     them is missing in the result; see {@link Rota.Builder#archive}
 */
public record ArchiveUse(List<String> opened, List<String> missed) {

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
}
