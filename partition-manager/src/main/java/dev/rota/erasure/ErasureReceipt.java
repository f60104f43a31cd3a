package dev.rota.erasure;

import dev.rota.erasure.internal.Receipts;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What was removed with a tenant. The same is kept in the table {@code rota.erasure}.
 *
 * @param tenant the name that the tenant had
 * @param number its number, which no other tenant will have
 * @param parts what was removed
 * @param json all of it with times, as one line of JSON whose last member is {@code sha256}
 * @param sha256 the SHA-256 of {@code json} without that member, in lower-case hexadecimal digits
 */
public record ErasureReceipt(
    String tenant, int number, List<Part> parts, String json, String sha256) {

  /**
   * Copies the list.
   *
   * @param tenant the name that the tenant had
   * @param number its number
   * @param parts what was removed
   * @param json all of it
   * @param sha256 the digest of it
   */
  public ErasureReceipt {
    parts = List.copyOf(parts);
  }

  /** What a part of a tenant is. */
  public enum Kind {
    /** A table of its own. */
    TABLE,
    /** Its rows in a table of all tenants. */
    REGISTRY,
    /** A file in the archive. */
    OBJECT
  }

  /**
   * Something that was removed.
   *
   * @param kind what it is
   * @param name its name with the schema, or its key
   * @param rows how many rows it had; empty for an object that was not written to its end, or that
   *     Rota did not know
   * @param bytes its size, indexes included; empty where it is not known
   * @param sha256 the digest of an object as it was written
   */
  public record Part(
      Kind kind, String name, OptionalLong rows, OptionalLong bytes, Optional<String> sha256) {}

  /**
   * Reads a receipt that was kept as text.
   *
   * @param json as {@link #json()} gave it; white space around it does not matter
   * @return the receipt
   * @throws IllegalArgumentException if it is no receipt, or was changed since
   */
  public static ErasureReceipt parse(String json) {
    return Receipts.parse(json);
  }

  /**
   * How many rows were removed from tables of the tenant's own, which are its tasks and what
   * belongs to them.
   *
   * @return the sum
   */
  public long rows() {
    return rowsOf(Kind.TABLE);
  }

  /**
   * How many attempts of tasks the files in the archive held; some of them may have been in the
   * database as well.
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
