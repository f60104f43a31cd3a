package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.FeatureScenarios;
import dev.rota.crash.interleaving.LeaseScenarios;
import dev.rota.crash.interleaving.RingScenarios;
import java.util.List;

/** Wrong settles, leases, keys and versions. */
final class LeaseSabotages {

  private static final String OPEN = " and ended = 0 and worker = \\?::bigint returning id";
  private static final String COUNTERS =
      "\\(select pg_stat_force_next_flush\\(\\)::text\\) is not null";

  private LeaseSabotages() {}

  static List<Sabotage> settles() {
    return List.of(
        Sabotage.of(
            "no fence at settle",
            "8.3: a lost lease settles nothing",
            () -> Edit.replace(OPEN, " and worker = ?::bigint returning id").in(1),
            LeaseScenarios.zombie()),
        Sabotage.of(
            "outcomes are written though the batch was lost",
            "8.3: a lost lease settles nothing",
            () ->
                Edit.replace(OPEN, " and worker = ?::bigint returning id")
                    .and(" and h.state = 0", " ")
                    .in(1),
            LeaseScenarios.zombie()),
        Sabotage.of(
            "a failed task does not wait for its next attempt",
            "3: failures go back through the wait table",
            () -> Edit.replace("from settled where " + COUNTERS, "from settled where false"),
            RingScenarios.promotion()),
        Sabotage.of(
            "a failure is not written",
            "3: exceptions go in the transaction of the settle",
            () -> Edit.replace("set state = u.state, error", "set state = h.state, error"),
            RingScenarios.promotion()),
        Sabotage.of(
            "dead tasks are run again without a mark",
            "3: the session that finds the row dead moves the task",
            () ->
                Edit.replace(
                    "update (\\S+) h set state = 2 where h.state = 3",
                    "update $1 h set state = 3 where h.state = 3"),
            LeaseScenarios.redrive()));
  }

  static List<Sabotage> leases() {
    return List.of(
        Sabotage.of(
            "the reaper does not close the batch first",
            "3: the session that closes the batch owns the outcome",
            () ->
                Edit.replace(
                        "update (\\S+) set closed_at = now\\(\\), ended = \\?::smallint, attempts = .*"
                            + " where id = any \\(\\?::bigint\\[\\]\\)"
                            + OPEN,
                        "select id from $1 where ?::smallint is not null"
                            + " and ?::bigint[] is not null and ?::bigint[] is not null"
                            + " and id = any (?::bigint[]) and ended = 0 and worker = ?::bigint")
                    .in(3),
            LeaseScenarios.zombie()),
        Sabotage.of(
            "the reaper returns what has ended",
            "3: only rows in state 0 return",
            () -> Edit.replace("(batch_id = \\?::bigint) and state = 0", "$1"),
            LeaseScenarios.partlySettled()),
        Sabotage.of(
            "the reaper closes and returns nothing",
            "3: what a dead worker held returns to the ring",
            () ->
                Edit.replace(
                    "(and state = 0 returning .* from moved) where " + COUNTERS, "$1 where false"),
            LeaseScenarios.partlySettled()),
        Sabotage.of(
            "a lost attempt does not count",
            "3: the attempt of a dead worker counts",
            () -> Edit.replace("attempt - \\?::int as attempt", "attempt - 1 - ?::int as attempt"),
            LeaseScenarios.partlySettled()));
  }

  static List<Sabotage> heartbeats() {
    return List.of(
        Sabotage.of(
            "a lease never ends",
            "3: a worker whose heartbeat is older than its lease is dead",
            () -> Edit.replace("epoch from w.lease\\)", "epoch from w.lease + interval '1 year')"),
            LeaseScenarios.partlySettled()),
        Sabotage.of(
            "no heartbeat",
            "3: a worker that lives keeps its batches",
            () ->
                Edit.replace(
                    "(update \\S+) set heartbeat_at = now\\(\\)",
                    "$1 set heartbeat_at = heartbeat_at"),
            Detectors.liveWorker()),
        Sabotage.of(
            "silence is counted by the clock of the database",
            "10: a wait computed from clocks is bounded",
            () ->
                Edit.replace(
                    "epoch from w.lease\\)",
                    "epoch from case when w.heartbeat_at + w.lease < now() then interval '0'"
                        + " else w.lease end)"),
            Detectors.clockStep()),
        Sabotage.of(
            "a settle names no worker",
            "10: a settle names its worker as well as its batch",
            () -> Edit.replace("and worker = \\?::bigint", "and ?::bigint is not null"),
            Detectors.namesake()));
  }

  static List<Sabotage> keys() {
    return List.of(
        Sabotage.of(
            "a key is freed while its task runs",
            "a key belongs to one task until that has ended",
            () ->
                Edit.replace(
                    "(where key = any \\(\\?::text\\[\\]\\)) and not live and free_at <= now\\(\\)",
                    "$1"),
            FeatureScenarios.keys()),
        Sabotage.of(
            "a key is never freed",
            "a key is free once its task has ended",
            () ->
                Edit.replace(
                    "(where k.key = u.key and k.task_id = u.id) and k.version is null",
                    "$1 and false"),
            FeatureScenarios.keys()),
        Sabotage.of(
            "versions are compared the wrong way round",
            "a newer version runs again",
            () -> Edit.replace("k.version < u.version", "k.version > u.version"),
            FeatureScenarios.versions()),
        Sabotage.of(
            "a version that came while an older one ran is forgotten",
            "a newer version runs again",
            () -> Edit.replace("k.version > u.version as again", "false as again"),
            FeatureScenarios.versions()));
  }
}
