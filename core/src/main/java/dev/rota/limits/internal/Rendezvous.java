package dev.rota.limits.internal;

import java.util.Set;

/**
 * Chooses workers for a tenant by the highest hash of both (Thaler and Ravishankar, 1998). All
 * choose the same, and a worker that comes or goes moves only the tenants that it has.
 */
final class Rendezvous {

  private Rendezvous() {}

  /** Whether a worker is one of so many that are chosen of these. */
  static boolean chooses(long worker, Set<Long> workers, int most, int tenant) {
    long own = hash(worker, tenant);
    long before = 0;
    for (long other : workers) {
      long its = hash(other, tenant);
      if (its > own || (its == own && other > worker)) {
        before++;
      }
    }
    return before < most;
  }

  private static long hash(long worker, int tenant) {
    return mixed(worker ^ mixed(tenant));
  }

  /** Spreads the bits: the last step of SplitMix64 (Steele, Lea and Flood, 2014). */
  private static long mixed(long value) {
    long first = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    long second = (first ^ (first >>> 27)) * 0x94d049bb133111ebL;
    return second ^ (second >>> 31);
  }
}
