package dev.rota.transfer;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The data that a transfer moved. Immutable.
 *
 * @param tenant the name of the tenant, in the database of the import or export
 * @param number its number there
 * @param rows the number of rows by sort, such as {@code pending}, {@code running} (which are
 *     pending in the copy) and {@code waiting}. {@code history} has the attempts in the database,
 *     {@code archived} those in files of the archive. Sorts without rows are missing
 * @param files how many files were written or read
 * @param bytes their total size
 */
public record TransferReport(
    String tenant, int number, Map<String, Long> rows, int files, long bytes) {

  /**
   * Copies the map, in its order.
   *
   * @param tenant the name of the tenant
   * @param number its number
   * @param rows the number of rows by sort
   * @param files how many files
   * @param bytes their total size
   */
  public TransferReport {
    rows = Collections.unmodifiableMap(new LinkedHashMap<>(rows));
  }

  /**
   * Counts the rows of one sort.
   *
   * @param what a sort of {@link #rows}
   * @return zero if there was none
   */
  public long count(String what) {
    return rows.getOrDefault(what, 0L);
  }
}
