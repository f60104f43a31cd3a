package dev.rota.dashboard.internal.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import dev.rota.RotaException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Keeps what was read for a moment, so that many viewers are one reader. What takes long to read is
 * kept for longer. Thread-safe.
 */
final class SharedReads {

  private static final Duration FRESH = Duration.ofSeconds(2);
  private static final Duration MOST_FRESH = Duration.ofSeconds(10);
  private static final Duration REMEMBERED = Duration.ofMinutes(1);
  private static final int MOST = 500;

  /** How many times as long as it took a costly read is kept. */
  private static final long THRIFT = 400;

  private final ConcurrentMap<Object, Read<?>> reads =
      Caffeine.newBuilder()
          .expireAfter(
              Expiry.<Object, Read<?>>writing((key, read) -> Duration.ofNanos(read.freshNanos)))
          .maximumSize(MOST)
          .<Object, Read<?>>build()
          .asMap();

  /** How long the last read under each key took, in nanoseconds. */
  private final Cache<Object, Long> costs =
      Caffeine.newBuilder().expireAfterWrite(REMEMBERED).maximumSize(MOST).build();

  /** A read that runs or has ended. */
  private static final class Read<T> extends FutureTask<T> {

    private volatile long freshNanos = FRESH.toNanos();
    private volatile boolean isFresh;

    Read(Callable<T> read) {
      super(read);
    }
  }

  /**
   * What was read under a key within two seconds, or is read now. Other callers with the same key
   * wait for it, and share its failure. Those with other keys do not wait.
   *
   * @param key what is read, first its name, then its filters
   */
  <T> T get(List<?> key, Supplier<T> read) {
    return get(key, read, 0);
  }

  /**
   * The same for what changes slowly: it may be up to ten seconds old, so that a costly read takes
   * little of the database's time. The faster one of two reads tells the cost.
   */
  <T> T getSparingly(List<?> key, Supplier<T> read) {
    return get(key, read, THRIFT);
  }

  /** What was read under a key and is fresh, if anything is. */
  @SuppressWarnings("unchecked") // Each key belongs to one type.
  <T> Optional<T> known(List<?> key) {
    Read<?> read = reads.get(key);
    return read != null && read.isFresh ? Optional.of((T) result(read)) : Optional.empty();
  }

  @SuppressWarnings("unchecked") // Each key belongs to one type.
  private <T> T get(List<?> key, Supplier<T> read, long thrift) {
    Read<T> own = new Read<>(read::get);
    Read<?> shared = reads.putIfAbsent(key, own);
    if (shared != null) {
      return (T) result(shared);
    }
    try {
      long begun = System.nanoTime();
      own.run();
      T found = result(own);
      own.freshNanos = freshNanos(key, thrift, System.nanoTime() - begun);
      own.isFresh = true;
      // It is fresh from now on, not from the beginning of the read.
      boolean unused = reads.replace(key, own, own);
      return found;
    } catch (RuntimeException e) {
      boolean unused = reads.remove(key, own);
      throw e;
    }
  }

  private long freshNanos(List<?> key, long thrift, long took) {
    Long before = costs.getIfPresent(key);
    costs.put(key, took);
    long cost = before == null ? 0 : Math.min(before, took);
    return Math.min(MOST_FRESH.toNanos(), Math.max(FRESH.toNanos(), thrift * cost));
  }

  private static <T> T result(FutureTask<T> read) {
    try {
      return read.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException("a read failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RotaException("interrupted while another viewer's read goes on", e);
    }
  }
}
