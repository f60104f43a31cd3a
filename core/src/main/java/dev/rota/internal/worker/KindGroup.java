package dev.rota.internal.worker;

import java.util.Set;

/**
 * Kinds that are claimed together and share a limit: each kind that has a limit of its own, and all
 * others.
 *
 * @param kinds the kinds
 * @param limit how many of their handlers run at once; {@link #NO_LIMIT} for as many as the worker
 *     runs
 */
record KindGroup(Set<String> kinds, int limit) {

  static final int NO_LIMIT = Integer.MAX_VALUE;

  boolean isLimited() {
    return limit != NO_LIMIT;
  }
}
