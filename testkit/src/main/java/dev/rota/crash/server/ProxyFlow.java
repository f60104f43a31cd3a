package dev.rota.crash.server;

import java.time.Duration;

/**
 * What a {@link FaultProxy} does with bytes that go one way.
 *
 * @param kind passed on, kept until the flow changes, or lost
 * @param delay how long each of a conversation's turns waits before it is passed on
 */
public record ProxyFlow(Kind kind, Duration delay) {

  /** What becomes of the bytes. */
  public enum Kind {
    PASS,
    HOLD,
    SWALLOW
  }

  private static final ProxyFlow PASS = new ProxyFlow(Kind.PASS, Duration.ZERO);
  private static final ProxyFlow HOLD = new ProxyFlow(Kind.HOLD, Duration.ZERO);
  private static final ProxyFlow SWALLOW = new ProxyFlow(Kind.SWALLOW, Duration.ZERO);

  /** At once. */
  public static ProxyFlow pass() {
    return PASS;
  }

  /** Later than that. */
  public static ProxyFlow delayed(Duration delay) {
    return new ProxyFlow(Kind.PASS, delay);
  }

  /** Not before the flow changes: a network that is away for a while. Neither is an end of it. */
  public static ProxyFlow hold() {
    return HOLD;
  }

  /**
   * Never, while the connection stays open: a network that has gone for ever. When the flow
   * changes, connections that lost something are cut.
   */
  public static ProxyFlow swallow() {
    return SWALLOW;
  }
}
