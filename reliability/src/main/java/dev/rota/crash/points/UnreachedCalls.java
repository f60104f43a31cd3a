package dev.rota.crash.points;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The calls that no scenario makes, each with the reason. */
final class UnreachedCalls {

  private static final Set<String> TIMED =
      Set.of(
          "close breaker",
          "discover",
          "hold kind",
          "lease slots",
          "lease starts",
          "list planned schedules",
          "list sharded workers",
          "listen",
          "lock budgets",
          "look at shares",
          "look for a daemon",
          "look for cancel requests",
          "look for changed rules",
          "look for old task",
          "look for tasks",
          "look for unknown kinds",
          "look for wait tables",
          "look for waiting tasks",
          "make buckets",
          "make budgets",
          "notify",
          "read the clock for statistics",
          "replan schedules",
          "room for claims",
          "trip breaker",
          "unlisten");

  private static final Map<String, Set<String>> BY_REASON =
      Map.of(
          "only names a text, which goes under the name of what it is for",
          Set.of(
              "add marks",
              "change default privileges",
              "create edges",
              "create free list",
              "create functions",
              "create graphs",
              "create held tasks",
              "create history view",
              "create index of keys",
              "create keys",
              "create nodes",
              "create pending view",
              "create role",
              "create slot",
              "create spread list",
              "create wait index",
              "index ledger segment",
              "open tenant",
              "read rows of tenant"),
          "a step of a process that is killed there, and no call to the database",
          Set.of("put object"),
          "comes from a thread of its own, such as a look for work or slots: it tries again",
          TIMED,
          "comes after a fault alone: the crash points have it, and break one call at a time",
          Set.of("look up batches", "look up a transaction"),
          "comes after others have rewritten or dropped a table, or inserted what no worker can run:"
              + " tests of core do that",
          Set.of(
              "count rows set aside",
              "find tasks of batches",
              "look for a ledger segment",
              "look for rows of batches",
              "set aside"),
          "comes only beside a lock or a change of another session: a scenario has one actor",
          Set.of(
              "await change of membership",
              "find holder of sequence",
              "find the leader",
              "locked",
              "look for archived file"),
          "moves tasks that no worker has taken for 1.5 s under one leader: scenarios do not wait",
          Set.of("carry over"),
          "reads or counts for a quota, which no tenant of a scenario has: tests of core do that",
          Set.of("count pending tasks", "lease payload", "look for room", "return payload"),
          "needs a segment of 16 MiB or more, or a pooler: tests of the daemon and of core do that",
          Set.of("find the name of this statement", "index a segment", "read recent exceptions"),
          "comes once in the life of a database, before there is a task",
          Set.of("open the ledger", "pin migration"));

  private UnreachedCalls() {}

  /** The calls of separate threads: one may come during a scenario by chance. */
  static Set<String> timed() {
    return TIMED;
  }

  static Set<String> names() {
    Set<String> names = new TreeSet<>();
    BY_REASON.values().forEach(names::addAll);
    return names;
  }
}
