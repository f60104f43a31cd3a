package dev.rota.crash.server;

import java.time.Duration;

/**
 * How a {@link FaultProxy} treats the bytes of one direction.
 *
 * @param kind forwarded, kept until the flow changes, or lost
 * @param delay how long each of a conversation's turns waits before it is forwarded
 */
public record ProxyFlow(Kind kind, Duration delay) {

  /** The treatment of the bytes. */
  public enum Kind {
    PASS,
    HOLD,
    SWALLOW
  }

  private static final ProxyFlow PASS = new ProxyFlow(Kind.PASS, Duration.ZERO);
  private static final ProxyFlow HOLD = new ProxyFlow(Kind.HOLD, Duration.ZERO);
  private static final ProxyFlow SWALLOW = new ProxyFlow(Kind.SWALLOW, Duration.ZERO);

  /** Forwards bytes at once. */
  public static ProxyFlow pass() {
    return PASS;
  }

  /** Forwards bytes after a delay. */
  public static ProxyFlow delayed(Duration delay) {
    return new ProxyFlow(Kind.PASS, delay);
  }

  /**
   * Holds bytes, and the end of a connection, until the flow changes: a network that is interrupted
   * for a while.
   */
  public static ProxyFlow hold() {
    return HOLD;
  }

  /**
   * Loses bytes while the connection stays open: a network that has failed for ever. When the flow
   * changes, connections with losses are cut.
   */
  public static ProxyFlow swallow() {
    return SWALLOW;
  }
}
