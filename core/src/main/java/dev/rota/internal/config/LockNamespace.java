package dev.rota.internal.config;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.zip.CRC32;

/**
 * The first key of the advisory locks of one schema. Tenants of two schemas have the same numbers,
 * and each schema has its own leader, so the key depends on the schema.
 */
public final class LockNamespace {

  /** The schema whose key is the setting itself, as it was before keys depended on the schema. */
  public static final String DEFAULT_SCHEMA = "rota";

  private LockNamespace() {}

  /** The setting, plus the CRC-32 of the schema's name unless that is the default one. */
  public static int of(int setting, String schema) {
    return DEFAULT_SCHEMA.equals(schema) ? setting : setting + checksum(schema);
  }

  private static int checksum(String schema) {
    CRC32 checksum = new CRC32();
    checksum.update(schema.getBytes(US_ASCII));
    return (int) checksum.getValue();
  }
}
