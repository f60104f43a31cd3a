package dev.rota.internal.maintenance;

import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * Tracks recent failures by tenant or batch: a failed one is skipped for a while, and never stops
 * the others. Used by one thread.
 */
public final class FailureTracker<K> {

  private static final Logger log = Logs.of(FailureTracker.class);

  private final String work;
  private final Duration longestRetry;
  private final Map<K, Failure> failures = new HashMap<>();

  private record Failure(int failures, long retryAt) {}

  /** Work on one tenant or batch that may fail. */
  @FunctionalInterface
  public interface Attempt {
    void run() throws SQLException;
  }

  /**
   * Creates a tracker for work with this name in the log, whose retries are up to a minute apart.
   */
  public FailureTracker(String work) {
    this(work, Backoff.LONGEST_RETRY);
  }

  /** Creates a tracker for work whose retries are at most so far apart. */
  public FailureTracker(String work, Duration longestRetry) {
    this.work = work;
    this.longestRetry = longestRetry;
  }

  /** Whether the last attempt of a key failed. */
  public boolean has(K key) {
    return failures.containsKey(key);
  }

  /** Whether a key may be tried now. */
  public boolean mayTry(K key) {
    Failure failure = failures.get(key);
    return failure == null || failure.retryAt - System.nanoTime() <= 0;
  }

  /** The keys to skip at this moment. */
  public Set<K> avoided() {
    return failures.keySet().stream().filter(key -> !mayTry(key)).collect(Collectors.toSet());
  }

  /** Forgets keys that are not in the set. */
  public void retain(Set<K> keys) {
    failures.keySet().retainAll(keys);
  }

  /** Runs an attempt; a failure is recorded, logged when it is new, and not thrown. */
  public boolean attempt(K key, String label, Attempt attempt) {
    try {
      attempt.run();
      recovered(key, label);
      return true;
    } catch (LeadershipEndedException e) {
      throw e;
    } catch (SQLException e) {
      failed(key, label, e, SqlErrors.isLockConflict(e));
    } catch (RuntimeException e) {
      failed(key, label, e, false);
    }
    return false;
  }

  /** Records a failure. An unavailable lock is ordinary and logged at debug level only. */
  private void failed(K key, String label, Exception e, boolean ordinary) {
    Failure before = failures.get(key);
    int count = before == null ? 1 : before.failures + 1;
    failures.put(
        key, new Failure(count, System.nanoTime() + Backoff.beforeRetry(count, longestRetry)));
    if (count == 1 && !ordinary) {
      log.warn("the Rota daemon cannot {} {}: {}", work, label, e.getMessage());
    } else {
      log.debug("the Rota daemon cannot {} {}, attempt {}", work, label, count, e);
    }
  }

  private void recovered(K key, String label) {
    if (failures.remove(key) != null) {
      log.debug("the Rota daemon can {} {} again", work, label);
    }
  }
}
