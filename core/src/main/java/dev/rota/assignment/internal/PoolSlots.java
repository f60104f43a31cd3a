package dev.rota.assignment.internal;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Computes the lock key of a worker or task of one pool, and its position in the order in which
 * free ones are tried. Both come from one hash of the id.
 *
 * <p>Positions are stored, so the hash never changes. It is the finalizer of SplitMix64 (Steele,
 * Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
 *
 * @param seed distinguishes the pools, and the workers of a pool from its tasks
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
   * The positions of the side that the pool knows.
   *
   * @param kind the kind of the pool, as in the registry
   */
  public static PoolSlots ofKnown(String schema, int pool, int kind) {
    return of(schema, pool, PoolKind.of(kind) == PoolKind.TASKS ? TASKS : WORKERS);
  }

  /** The position of an id, from 0 to a billion. */
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
   * The second key of the advisory lock. Two ids that share a key are never assigned in the same
   * moment; one of the two callers is then told to ask again. Among a thousand concurrent calls
   * this happens once in two thousand moments.
   */
  int lockKey(long id) {
    return Integer.MIN_VALUE + of(id);
  }

  int[] lockKeys(long[] ids) {
    return Arrays.stream(ids).mapToInt(this::lockKey).toArray();
  }

  /** A random position at which a search begins. */
  static int random(RandomGenerator generator) {
    return generator.nextInt(1 << BITS);
  }
}
