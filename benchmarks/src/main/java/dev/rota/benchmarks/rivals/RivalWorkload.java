package dev.rota.benchmarks.rivals;

/**
 * The workload of a contender.
 *
 * @param tenants the number of tenants
 * @param batch the most tasks that it takes from a tenant at once
 * @param payload the bytes of a payload
 */
public record RivalWorkload(int tenants, int batch, int payload) {

  static final String KIND = "nothing";

  private static final String HEAD = "{\"job\":\"";
  private static final String TAIL = "\"}";

  /**
   * Creates a payload: JSON of exactly the given number of bytes.
   *
   * @return the text
   */
  public String payloadText() {
    return HEAD + "x".repeat(Math.max(0, payload - HEAD.length() - TAIL.length())) + TAIL;
  }
}
