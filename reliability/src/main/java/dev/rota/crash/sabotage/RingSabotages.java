package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.FeatureScenarios;
import dev.rota.crash.interleaving.RetentionScenarios;
import dev.rota.crash.interleaving.RingScenarios;
import java.util.List;

/** Wrong rotations, claims, enqueues and promotions. */
final class RingSabotages {

  private static final String LOOK = "select 1 from (\\S+) limit 1";
  private static final String LOCK = "in access exclusive mode";
  private static final String GATED =
      "select ctid from (\\S+) where ctid >= \\?"
          + " and \\(select pg_try_advisory_xact_lock\\([^)]*\\)\\) limit";

  private RingSabotages() {}

  static List<Sabotage> rotations() {
    return List.of(
        Sabotage.of(
            "rotation truncates without looking",
            "5: a row in the next slot puts the rotation off",
            () -> Edit.replace(LOOK, "select 1 from $1 where false limit 1"),
            RingScenarios.staleProducer()),
        Sabotage.of(
            "rotation looks only before the lock",
            "5: lock before looking",
            () -> new AfterLock(false),
            RingScenarios.staleProducer()),
        Sabotage.of(
            "rotation copies before the lock and truncates",
            "5: insert-select before the lock loses what producers have not committed",
            () -> new AfterLock(true),
            RingScenarios.staleProducer()),
        Sabotage.of(
            "rotation in REPEATABLE READ",
            "5: no snapshot older than the lock",
            () ->
                Edit.replace("isolation level read committed", "isolation level repeatable read")
                    .and("current_setting\\('transaction_isolation'\\)", "'read committed'")
                    .in(3),
            RingScenarios.staleProducer()),
        Sabotage.of(
            "rotation takes a lock that lets producers in",
            "5: the lock keeps new ones out",
            () -> Edit.replace("(task_init_\\S+) " + LOCK, "$1 in access share mode"),
            RingScenarios.staleProducer()));
  }

  static List<Sabotage> claims() {
    return List.of(
        Sabotage.of(
            "no gate, and the pick decides who owns a row",
            "3: the DELETE decides who owns a row",
            () ->
                Edit.replace(
                        GATED,
                        "select ctid, id, created_at, parent_id, attempt, kind, payload, key,"
                            + " traits from $1 where ctid >= ? limit")
                    .and("from moved returning ctid", "from picked returning ctid")
                    .and("pg_try_advisory_xact_lock\\(\\?, u.tenant\\)", "?::int is not null"),
            RingScenarios.claims()),
        Sabotage.of(
            "a claim copies and does not delete",
            "8.1: a task is in one place",
            () ->
                Edit.replace(
                    "delete from (\\S+) where ctid = any \\(array\\(select ctid from picked\\)\\)"
                        + " returning ([^)]*)\\)",
                    "select $2 from $1 where ctid = any (array(select ctid from picked)))"),
            RingScenarios.claims()),
        Sabotage.of(
            "a claim writes another batch into the ledger",
            "3: the batch is the lease",
            () ->
                Edit.replace(
                    "select u.id, (\\?::bigint, now\\(\\), u.first_block)", "select - u.id, $1"),
            RingScenarios.claims()),
        Sabotage.of(
            "the attempt is not raised",
            "3: a claim begins the next attempt",
            () -> Edit.replace("attempt \\+ 1, 0, kind", "attempt, 0, kind"),
            RingScenarios.claims()));
  }

  static List<Sabotage> looks() {
    return List.of(
        Sabotage.of(
            "a short batch means empty",
            "3: a short batch never means that the slot is empty",
            FirstSlotOnly::new,
            RingScenarios.staleProducer()),
        Sabotage.of(
            "one slot is never looked at",
            "5: consumers look at all three slots, always",
            () ->
                Edit.replace("(task_init_\\d+_1\") where ctid >= ", "$1 where false and ctid >= "),
            RingScenarios.staleProducer()),
        Sabotage.of(
            "a lane is left out of the look",
            "5: consumers look at all slots, of all lanes",
            () ->
                Edit.replace(
                    "(task_init_\\d+_[345]\") where ctid >= ", "$1 where false and ctid >= "),
            RingScenarios.lanes()),
        Sabotage.of(
            "the block hint is trusted",
            "3: every slot is looked at from block 0 before it is called empty",
            () ->
                Edit.replace(
                    "where ctid >= \\? and \\(select",
                    "where ctid >= greatest(?, '(4,0)'::tid) and (select"),
            Detectors.freedBlock()));
  }

  static List<Sabotage> enqueues() {
    return List.of(
        Sabotage.of(
            "an enqueue is acknowledged before its commit",
            "8.2: what is acknowledged is committed",
            () -> new BrokenCommit(0, BrokenCommit.Effect.ACKNOWLEDGED_TOO_EARLY),
            RingScenarios.claims()),
        new Sabotage(
            "an ambiguous enqueue is done again without a key",
            "8.2: a producer that does not know the outcome needs a key to repeat it",
            () -> new BrokenCommit(0, BrokenCommit.Effect.ANSWER_LOST),
            Detectors.ambiguousEnqueue(true),
            Detectors.ambiguousEnqueue(false)),
        Sabotage.of(
            "ids are handed out twice",
            "2: task ids come from one sequence",
            () ->
                Edit.replace(
                    "select nextval\\(\\?::regclass\\) from generate_series\\(1, \\?::bigint\\)",
                    "select case when s like '%task_id%' then 1048576 else nextval(s::regclass) end"
                        + " from (select ?::text as s) q, generate_series(1, ?::bigint)"),
            Detectors.twoProducers()),
        Sabotage.of(
            "the transaction of a caller is committed",
            "3: inside the caller's transaction there is one insert, and no commit",
            () -> Edit.replace("^(insert into \\S+task_init.*)$", "$1;\ncommit").in(4),
            RingScenarios.callersTransaction()));
  }

  static List<Sabotage> promotions() {
    return List.of(
        Sabotage.of(
            "a promotion copies and does not delete",
            "8.1: a task is in one place",
            () ->
                Edit.replace(
                    "delete from (\\S+) (where ctid = any \\(array\\(select ctid from due [^)]*\\)\\))"
                        + " returning ([^)]*)\\)",
                    "select $3 from $1 $2)"),
            RingScenarios.promotion()),
        Sabotage.of(
            "a promotion deletes and does not insert",
            "8.1: a task is in one place",
            () ->
                Edit.of(
                    text ->
                        text.contains("select ctid from due")
                            ? text.replace(
                                "(select pg_stat_force_next_flush()::text) is not null", "false")
                            : text),
            RingScenarios.promotion()));
  }

  static List<Sabotage> retention() {
    return List.of(
        Sabotage.of(
            "a segment is dropped with open batches in it",
            "5: retired only when every batch in it is closed",
            () ->
                Edit.replace(
                        "(where b.closed_at is null and b.tenant = \\? and b.segment = \\?) limit",
                        "$1 and false limit")
                    .and(
                        "and not exists \\(select 1 from \\S+ b where b.closed_at is null"
                            + " and b.tenant = s.tenant and b.segment = s.seq\\)",
                        ""),
            RetentionScenarios.segments()),
        Sabotage.of(
            "a segment is dropped without a lock before the look",
            "5: retired under a lock",
            () -> Edit.replace("lock table \\S+ in share mode", "select 1"),
            RetentionScenarios.segments()),
        Sabotage.of(
            "a segment is dropped without counting",
            "5: its rows are counted before it goes",
            () -> Edit.replace("(ctid >= \\?::tid and ctid < \\?::tid)$", "$1 and false"),
            Detectors.countedSegment()),
        Sabotage.of(
            "a segment of the ledger is dropped with open batches in it",
            "5: ledger segments are dropped when no batch in them is open",
            () ->
                Edit.replace(
                        "select id from (\\S+) where closed_at is null limit 1",
                        "select id from $1 where false limit 1")
                    .and(
                        "select exists \\(select 1 from (\\S+) where closed_at is null\\)",
                        "select exists (select from $1 where false)"),
            RetentionScenarios.ledger()),
        Sabotage.of(
            "a segment of the ledger is metered with open batches in it",
            "metering: each batch is in the usage once",
            () ->
                Edit.replace(
                    "select exists \\(select 1 from (\\S+) where closed_at is null\\)",
                    "select exists (select from $1 where false)"),
            RetentionScenarios.metering()),
        Sabotage.of(
            "a metered segment of the ledger takes batches",
            "metering: each batch is in the usage once",
            () -> Edit.replace("create trigger metered .*", "select 1"),
            RetentionScenarios.metering()));
  }

  static List<Sabotage> parkings() {
    return List.of(
        Sabotage.of(
            "a tenant is parked without looking for rows",
            "5: lock before looking",
            () -> Edit.replace(LOOK, "select 1 from $1 where false limit 1"),
            RetentionScenarios.parkingBesideOne()),
        Sabotage.of(
            "a tenant is parked under a lock that lets producers in",
            "5: the lock keeps new ones out",
            () -> Edit.replace("(lock table .*) " + LOCK, "$1 in access share mode"),
            RetentionScenarios.parkingBesideOne()));
  }

  static List<Sabotage> graphs() {
    return List.of(
        Sabotage.of(
            "a child begins with its first parent",
            "a task begins when the last of its parents has ended",
            () -> Edit.replace("case when c.missing > h.parents then", "case when false then"),
            FeatureScenarios.graph()),
        Sabotage.of(
            "a child is released and stays held",
            "8.1: a task is in one place",
            () ->
                Edit.replace(
                    "delete from (\\S+) w using resolved r where w.id = r.id and r.state = 1"
                        + " returning (w.id.*?w.payload)\\)",
                    "select $2 from $1 w join resolved r on w.id = r.id and r.state = 1)"),
            FeatureScenarios.graph()));
  }
}
