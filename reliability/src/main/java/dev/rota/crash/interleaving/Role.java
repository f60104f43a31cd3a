package dev.rota.crash.interleaving;

/**
 * The role of one actor of a scenario.
 *
 * @param name its name in printed schedules; no colon
 * @param impatient whether it may be made to give up while it waits for a lock, as by a lock
 *     timeout
 * @param body its actions, on a separate thread
 */
public record Role(String name, boolean impatient, Body body) {

  /** The actions of a role. */
  @FunctionalInterface
  public interface Body {
    void play() throws Exception;
  }

  /** Creates a role that waits without a timeout. */
  public static Role of(String name, Body body) {
    return new Role(name, false, body);
  }

  /** Creates a role that may be made to give up. */
  public static Role impatient(String name, Body body) {
    return new Role(name, true, body);
  }
}
