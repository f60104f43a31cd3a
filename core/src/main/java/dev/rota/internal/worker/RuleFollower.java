package dev.rota.internal.worker;

import dev.rota.internal.claim.ClaimRequest.RecentRules;
import dev.rota.internal.claim.TaskRules;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets one worker follow the rules of its process, from the first look on that has read them.
 * Before that anything could be paused. Used by the thread that looks for work; rules come from any
 * thread.
 */
public final class RuleFollower implements TaskRules.Listener {

  private final TaskRules.Source source;
  private final RecentRules recent;
  private final TaskRules.Listener worker;
  private final Set<String> pools;
  private final TaskRules.@Nullable Shard shard;
  private final AtomicReference<TaskRules> present;
  private TaskRules all = TaskRules.UNKNOWN;
  private boolean follows;

  /**
   * Creates the follower of one worker.
   *
   * @param recent learns when looks have seen the rules of the process
   * @param claiming the tenants that the worker serves
   * @param worker applies rules
   */
  public RuleFollower(
      TaskRules.Source source,
      RecentRules recent,
      WorkerConfig.Claiming claiming,
      TaskRules.Listener worker) {
    this.source = source;
    this.recent = recent;
    this.pools = claiming.pools();
    this.shard = claiming.isSharded() ? source.shard(pools, claiming.shards()) : null;
    this.worker = worker;
    this.present = new AtomicReference<>(TaskRules.UNKNOWN.of(pools));
  }

  /** Holds the present rules, as they are for the pools of the worker. */
  public AtomicReference<TaskRules> present() {
    return present;
  }

  TaskRules rules() {
    return Objects.requireNonNull(present.get());
  }

  /** Knows when looks have seen the rules of the process. */
  RecentRules recent() {
    return recent;
  }

  /** The version that the process knows. */
  long version() {
    return source.version();
  }

  /**
   * Reads the rules if a look found this version and the process knows another one.
   *
   * @return whether it knows that one by now
   */
  boolean follow(long version) {
    source.follow(version);
    boolean known = source.version() == version;
    if (!follows && known) {
      follows = true;
      source.listen(this);
    }
    return known;
  }

  /** Looks which tenants the worker visits by now, if it has a shard. */
  void refresh() {
    if (shard != null && shard.refresh(known())) {
      applyAgain();
    }
  }

  private synchronized TaskRules known() {
    return all;
  }

  private synchronized void applyAgain() {
    apply(all);
  }

  @Override
  public synchronized void apply(TaskRules rules) {
    all = rules;
    TaskRules ofPools = rules.of(pools);
    TaskRules own = shard == null ? ofPools : ofPools.only(shard.under(rules));
    present.set(own);
    worker.apply(own);
  }

  @Override
  public void roomCame(Set<Integer> tenants) {
    worker.roomCame(tenants);
  }

  @Override
  public void mayBegin() {
    worker.mayBegin();
  }

  /** Follows no more; no look may follow. */
  public void close() {
    source.unlisten(this);
  }
}
