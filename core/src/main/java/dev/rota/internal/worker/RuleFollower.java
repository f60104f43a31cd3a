package dev.rota.internal.worker;

import dev.rota.internal.claim.TaskRules;

/**
 * Lets one worker follow the rules of its process, from the first look on that has read them.
 * Before that anything could be paused. Used by the thread that looks for work.
 */
public final class RuleFollower {

  private final TaskRules.Source source;
  private final TaskRules.Listener worker;
  private boolean follows;

  /**
   * Creates the follower of one worker.
   *
   * @param worker applies rules
   */
  public RuleFollower(TaskRules.Source source, TaskRules.Listener worker) {
    this.source = source;
    this.worker = worker;
  }

  /** The version that the process knows. */
  long version() {
    return source.version();
  }

  /** Reads the rules if a look found this version and the process knows another one. */
  void follow(long version) {
    source.follow(version);
    if (!follows && source.version() == version) {
      follows = true;
      source.listen(worker);
    }
  }

  /** Follows no more; no look may follow. */
  public void close() {
    source.unlisten(worker);
  }
}
