package dev.rota.assignment.internal;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Where the workers, or the tasks, of one assignment pool stand in the order in which free ones are
 * tried, and by which keys they are locked: both from one hash of the id.
 *
 * <p>Spots are stored, so the hash never changes. It is the finalizer of SplitMix64 (Steele, Lea
 * and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
 *
 * @param seed tells the pools apart, and the workers of a pool from its tasks
 */
public record PoolSlots(long seed) {

  static final int WORKERS = 1;
  static final int TASKS = 2;

  static final int BITS = 30;
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  static PoolSlots of(String schema, int pool, int side) {
    return new PoolSlots(((long) schema.hashCode() << 32 | pool) * GOLDEN_GAMMA + side);
  }

  /**
   * Those of who is known to a pool.
   *
   * @param kind the kind of the pool, as the registry has it
   */
  public static PoolSlots ofKnown(String schema, int pool, int kind) {
    return of(schema, pool, PoolKind.of(kind) == PoolKind.TASKS ? TASKS : WORKERS);
  }

  /** From 0 to a billion. */
  public int of(long id) {
    long z = id * GOLDEN_GAMMA + seed;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return (int) ((z ^ (z >>> 31)) >>> (Long.SIZE - BITS));
  }

  int[] of(long[] ids) {
    return Arrays.stream(ids).mapToInt(this::of).toArray();
  }

  /**
   * The second key of the advisory lock. Two ids that share one are never assigned in the same
   * moment, which among a thousand at a time happens once in two thousand moments, and costs that
   * one of them is told to ask again.
   */
  int lockKey(long id) {
    return Integer.MIN_VALUE + of(id);
  }

  int[] lockKeys(long[] ids) {
    return Arrays.stream(ids).mapToInt(this::lockKey).toArray();
  }

  /** Where to begin to look. */
  static int random(RandomGenerator generator) {
    return generator.nextInt(1 << BITS);
  }
}
