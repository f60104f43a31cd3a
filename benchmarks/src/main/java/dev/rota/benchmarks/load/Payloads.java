package dev.rota.benchmarks.load;

/**
 * Creates payloads of a given size that begin with the moment from which the task waits. Producers
 * and handlers are in one process, so that moment is one of {@link System#nanoTime()}.
 */
public final class Payloads {

  /** The length of the moment, a number of fixed width. */
  public static final int LEAST_BYTES = 16;

  private static final int HEXADECIMAL = 16;

  private final String padding;

  Payloads(int bytes) {
    this.padding = "x".repeat(bytes - LEAST_BYTES);
  }

  String since(long moment) {
    String digits = Long.toHexString(moment);
    return "0".repeat(LEAST_BYTES - digits.length()) + digits + padding;
  }

  static long moment(String payload) {
    return Long.parseUnsignedLong(payload, 0, LEAST_BYTES, HEXADECIMAL);
  }
}
