package dev.rota.crash.interleaving;

/**
 * What one actor of a scenario does.
 *
 * @param name as in printed schedules; no colon
 * @param impatient whether it may be made to give up while it waits for a lock, as a lock timeout
 *     would
 * @param body what it does, on a thread of its own
 */
public record Role(String name, boolean impatient, Body body) {

  /** A role. */
  @FunctionalInterface
  public interface Body {
    void play() throws Exception;
  }

  /** One that waits as long as it takes. */
  public static Role of(String name, Body body) {
    return new Role(name, false, body);
  }

  /** One that may be made to give up. */
  public static Role impatient(String name, Body body) {
    return new Role(name, true, body);
  }
}
