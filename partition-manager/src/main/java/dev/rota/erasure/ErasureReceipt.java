package dev.rota.erasure;

import dev.rota.erasure.internal.Receipts;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The list of everything that was removed with a tenant. The table {@code rota.erasure} keeps it,
 * too.
 *
 * @param tenant the name that the tenant had
 * @param number its number, which no other tenant will get
 * @param parts the removed parts
 * @param json the whole receipt with times, as one line of JSON whose last member is {@code sha256}
 * @param sha256 the SHA-256 of {@code json} without that member, in lower-case hexadecimal digits
 */
public record ErasureReceipt(
    String tenant, int number, List<Part> parts, String json, String sha256) {

  /**
   * Copies the list.
   *
   * @param tenant the name that the tenant had
   * @param number its number
   * @param parts the removed parts
   * @param json the whole receipt
   * @param sha256 the digest of it
   */
  public ErasureReceipt {
    parts = List.copyOf(parts);
  }

  /** The kind of a part of a tenant. */
  public enum Kind {
    /** A table of the tenant. */
    TABLE,
    /** The rows of the tenant in a table of all tenants. */
    REGISTRY,
    /** A file in the archive. */
    OBJECT
  }

  /**
   * A removed part.
   *
   * @param kind its kind
   * @param name its name with the schema, or its key
   * @param rows the number of its rows; empty for an object that was not completed, or that Rota
   *     did not know
   * @param bytes its size, indexes included; empty where it is unknown
   * @param sha256 the digest of an object as it was written
   */
  public record Part(
      Kind kind, String name, OptionalLong rows, OptionalLong bytes, Optional<String> sha256) {}

  /**
   * Parses the text of a receipt.
   *
   * @param json the text of {@link #json()}; surrounding white space is ignored
   * @return the receipt
   * @throws IllegalArgumentException if it is not a receipt, or was changed since
   */
  public static ErasureReceipt parse(String json) {
    return Receipts.parse(json);
  }

  /**
   * Sums the rows that were removed from the tenant's own tables: its tasks and the rows that
   * belong to them.
   *
   * @return the sum
   */
  public long rows() {
    return rowsOf(Kind.TABLE);
  }

  /**
   * Sums the attempts in the archived files; some of them may have been in the database as well.
   *
   * @return the sum
   */
  public long archivedRows() {
    return rowsOf(Kind.OBJECT);
  }

  private long rowsOf(Kind kind) {
    return parts.stream()
        .filter(part -> part.kind() == kind)
        .mapToLong(part -> part.rows().orElse(0))
        .sum();
  }
}
