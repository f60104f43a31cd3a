package dev.rota.crash.server;

import java.time.Duration;

/**
 * What a {@link FaultProxy} does with bytes that go one way.
 *
 * @param kind passed on, kept until the flow changes, or lost
 * @param delay how long each of a conversation's turns waits before it is passed on
 */
public record Flow(Kind kind, Duration delay) {

  /** What becomes of the bytes. */
  public enum Kind {
    PASS,
    HOLD,
    SWALLOW
  }

  private static final Flow PASS = new Flow(Kind.PASS, Duration.ZERO);
  private static final Flow HOLD = new Flow(Kind.HOLD, Duration.ZERO);
  private static final Flow SWALLOW = new Flow(Kind.SWALLOW, Duration.ZERO);

  /** At once. */
  public static Flow pass() {
    return PASS;
  }

  /** Later than that. */
  public static Flow delayed(Duration delay) {
    return new Flow(Kind.PASS, delay);
  }

  /** Not before the flow changes: a network that is away for a while. Neither is an end of it. */
  public static Flow hold() {
    return HOLD;
  }

  /**
   * Never, while the connection stays open: a network that has gone for ever. When the flow
   * changes, connections that lost something are cut.
   */
  public static Flow swallow() {
    return SWALLOW;
  }
}
