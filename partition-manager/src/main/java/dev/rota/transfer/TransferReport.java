package dev.rota.transfer;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was moved. Immutable.
 *
 * @param tenant the name of the tenant, in the database where it is now or was exported from
 * @param number its number there
 * @param rows how many rows of what, such as {@code pending}, {@code running} (which are pending in
 *     the copy), {@code waiting}, {@code history} (attempts that are in the database) and {@code
 *     archived} (attempts in files of the archive); what there was none of is missing
 * @param files how many files were written or read
 * @param bytes their size together
 */
public record TransferReport(
    String tenant, int number, Map<String, Long> rows, int files, long bytes) {

  /**
   * Copies the map, in its order.
   *
   * @param tenant the name of the tenant
   * @param number its number
   * @param rows how many rows of what
   * @param files how many files
   * @param bytes their size together
   */
  public TransferReport {
    rows = Collections.unmodifiableMap(new LinkedHashMap<>(rows));
  }

  /**
   * How many rows of one sort.
   *
   * @param what as in {@link #rows}
   * @return zero if there was none
   */
  public long count(String what) {
    return rows.getOrDefault(what, 0L);
  }
}
