package dev.rota.dashboard.internal.page;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Keeps what was read for a moment, so that many viewers are one reader. Thread-safe. */
public final class SharedReads {

  private static final Duration FRESH = Duration.ofSeconds(2);
  private static final int MOST = 500;

  private final Cache<Object, Object> cache =
      Caffeine.newBuilder().expireAfterWrite(FRESH).maximumSize(MOST).build();

  /**
   * What was read under a key, or is read now; other callers with the same key wait for it.
   *
   * @param key what is read, first its name, then its filters
   */
  @SuppressWarnings("unchecked") // Each key belongs to one type.
  <T> T get(List<?> key, Supplier<T> read) {
    return (T) cache.get(key, unused -> read.get());
  }
}
