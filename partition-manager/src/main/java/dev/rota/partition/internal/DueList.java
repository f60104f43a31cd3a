package dev.rota.partition.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * The tenants that are due for something, as the last survey saw them. Those that were put off get
 * their turn behind all others, or a few of them could take every turn. Used by one thread.
 */
final class DueList {

  private final IntPredicate putOff;
  private final IntPredicate mayRetry;
  private List<Standing> due = new ArrayList<>();

  /**
   * With what is known of tenants by their numbers.
   *
   * @param putOff whether it was tried before, in vain
   * @param mayRetry whether it may be tried again by now
   */
  DueList(IntPredicate putOff, IntPredicate mayRetry) {
    this.putOff = putOff;
    this.mayRetry = mayRetry;
  }

  /** Takes over a new survey, and returns who is due. */
  Set<Integer> renew(List<Standing> standings) {
    due = new ArrayList<>(standings);
    return due.stream().map(Standing::number).collect(Collectors.toSet());
  }

  /** Whose turn it is. */
  Optional<Standing> take() {
    Optional<Standing> next =
        due.stream().filter(standing -> !putOff.test(standing.number())).findFirst();
    if (next.isEmpty()) {
      next = due.stream().filter(standing -> mayRetry.test(standing.number())).findFirst();
    }
    next.ifPresent(due::remove);
    return next;
  }
}
