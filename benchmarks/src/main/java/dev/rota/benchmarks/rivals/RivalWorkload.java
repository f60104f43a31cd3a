package dev.rota.benchmarks.rivals;

/**
 * What a contender has to deal with.
 *
 * @param tenants how many tenants there are
 * @param batch the most tasks that it takes from a tenant at once
 * @param payload the bytes of a payload
 */
public record RivalWorkload(int tenants, int batch, int payload) {

  static final String KIND = "nothing";

  private static final String HEAD = "{\"job\":\"";
  private static final String TAIL = "\"}";

  /**
   * A payload: JSON of exactly as many bytes as were asked for.
   *
   * @return the text
   */
  public String payloadText() {
    return HEAD + "x".repeat(Math.max(0, payload - HEAD.length() - TAIL.length())) + TAIL;
  }
}
