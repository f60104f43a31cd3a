package dev.rota.archive.internal.parquet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The metadata of a segment's file, by which the file can be identified, and recorded again, when
 * the manifest is lost.
 *
 * @param tenant the number of the tenant
 * @param tenantName its name
 * @param segment the number of the segment
 * @param rows the number of its attempts
 * @param life the registry's entry of the segment; empty if it was open, or in older files
 */
public record SegmentFacts(
    int tenant, String tenantName, int segment, long rows, Optional<Life> life) {

  private static final String FORMAT = "rota_format";
  private static final String FORMAT_NUMBER = "1";
  private static final String TENANT = "rota_tenant";
  private static final String TENANT_NAME = "rota_tenant_name";
  private static final String SEGMENT = "rota_segment";
  private static final String ROWS = "rota_rows";
  private static final String OPENED_AT = "rota_opened_at";
  private static final String SEALED_AT = "rota_sealed_at";
  private static final String STATES = "rota_states";

  /**
   * The registry's entry of a sealed segment. Times are microseconds since 1970.
   *
   * @param openedAt the time at which it was opened
   * @param sealedAt the time at which it was sealed
   * @param states the sum of the states of its rows
   */
  public record Life(long openedAt, long sealedAt, long states) {}

  /** Writes all staged rows as a file with these metadata and its digest. */
  public void write(Staging staging, Path file) throws IOException {
    staging.write(file, written());
    FileSeal.apply(file);
  }

  private Map<String, String> written() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(FORMAT, FORMAT_NUMBER);
    facts.put(TENANT, Integer.toString(tenant));
    facts.put(TENANT_NAME, tenantName);
    facts.put(SEGMENT, Integer.toString(segment));
    facts.put(ROWS, Long.toString(rows));
    life.ifPresent(
        known -> {
          facts.put(OPENED_AT, Long.toString(known.openedAt()));
          facts.put(SEALED_AT, Long.toString(known.sealedAt()));
          facts.put(STATES, Long.toString(known.states()));
        });
    facts.put(FileSeal.FACT, FileSeal.BLANK);
    return facts;
  }

  /** Reads the metadata of a file; empty if a required part is missing. */
  public static Optional<SegmentFacts> read(DuckDbFile duck, Path file) throws IOException {
    Map<String, String> said =
        duck.query(
            "select decode(key), decode(value) from parquet_kv_metadata(%s)"
                .formatted(DuckDbFile.literal(file.toString())),
            rows -> {
              Map<String, String> pairs = new HashMap<>();
              while (rows.next()) {
                pairs.put(rows.getString(1), rows.getString(2));
              }
              return pairs;
            });
    try {
      return FORMAT_NUMBER.equals(said.get(FORMAT)) ? Optional.of(parsed(said)) : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static SegmentFacts parsed(Map<String, String> said) {
    Optional<Life> life =
        said.containsKey(SEALED_AT)
            ? Optional.of(
                new Life(
                    Long.parseLong(said.getOrDefault(OPENED_AT, "")),
                    Long.parseLong(said.getOrDefault(SEALED_AT, "")),
                    Long.parseLong(said.getOrDefault(STATES, ""))))
            : Optional.empty();
    return new SegmentFacts(
        Integer.parseInt(said.getOrDefault(TENANT, "")),
        said.getOrDefault(TENANT_NAME, ""),
        Integer.parseInt(said.getOrDefault(SEGMENT, "")),
        Long.parseLong(said.getOrDefault(ROWS, "")),
        life);
  }
}
