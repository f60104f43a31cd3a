package dev.rota.limits.internal.why;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.Reason;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.internal.why.Subject.Pending;
import dev.rota.limits.internal.why.Subject.WorkerRow;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The reasons that lie in the workers: none lives, or none seems to fit. Thread-safe. */
final class WorkerReasons implements ReasonSource {

  private static final Sql LOOK_FOR_HANDLED_KINDS = Sql.named("look_for_handled_kinds");

  /** Tasks that are younger may just not have had their turn. */
  private static final Duration YOUNG = Duration.ofSeconds(10);

  private static final int MOST_KINDS = 20;

  private final RegistryTables tables;

  WorkerReasons(RegistryTables tables) {
    this.tables = tables;
  }

  @Override
  public List<Reason> reasons(Session session, Subject subject) throws SQLException {
    List<WorkerRow> live = subject.live();
    if (live.isEmpty()) {
      return List.of(noWorker(subject.workers()));
    }
    List<Reason> reasons = new ArrayList<>(kinds(session, subject));
    long old = live.stream().filter(worker -> worker.service().rules() == 0).count();
    if (old > 0) {
      Map<String, Object> data = new LinkedHashMap<>();
      data.put("workers", old);
      data.put("of", (long) live.size());
      reasons.add(
          new Reason(
              Code.OLD_WORKERS,
              false,
              "of an older version, which runs what rules hold back: "
                  + old
                  + " of "
                  + ReasonText.count(live.size(), "live worker"),
              data));
    }
    return reasons;
  }

  private static Reason noWorker(List<WorkerRow> dead) {
    String text = "no worker has a live heartbeat";
    if (dead.isEmpty()) {
      return new Reason(Code.NO_WORKER, true, text + ", and none is registered", Map.of());
    }
    WorkerRow latest = dead.get(0);
    Duration ago = Duration.ofMillis((long) (latest.silentSeconds() * 1e3));
    return new Reason(
        Code.NO_WORKER,
        true,
        text + "; the last was that of " + latest.host() + ", " + ReasonText.time(ago) + " ago",
        Map.of("lastHeartbeatSecondsAgo", latest.silentSeconds()));
  }

  /** The kinds that no live worker handles, or may not handle where some do not tell. */
  private List<Reason> kinds(Session session, Subject subject) throws SQLException {
    Map<String, Pending> old = new TreeMap<>(subject.backlog().kinds());
    old.values().removeIf(pending -> pending.oldest().compareTo(YOUNG) < 0);
    boolean allTell = true;
    for (WorkerRow worker : subject.live()) {
      @Nullable List<String> handled = worker.service().kinds();
      allTell &= handled != null;
      old.keySet().removeAll(handled == null ? List.of() : handled);
    }
    if (old.isEmpty()) {
      return List.of();
    }
    return allTell ? notHandled(old, subject) : notSeen(session, old);
  }

  private static List<Reason> notHandled(Map<String, Pending> kinds, Subject subject) {
    return kinds.entrySet().stream()
        .limit(MOST_KINDS)
        .map(
            kind ->
                new Reason(
                    Code.KIND_NOT_HANDLED,
                    subject.isWhole(kind.getKey()),
                    "no live worker handles kind "
                        + kind.getKey()
                        + ", and its oldest task is pending for "
                        + ReasonText.time(kind.getValue().oldest()),
                    data(kind.getKey(), kind.getValue())))
        .toList();
  }

  /** Workers that tell no kinds may have run some; without any statistics nothing is known. */
  private List<Reason> notSeen(Session session, Map<String, Pending> kinds) throws SQLException {
    List<String> seen =
        session.run(
            BoundStatement.query(
                LOOK_FOR_HANDLED_KINDS.call(),
                LOOK_FOR_HANDLED_KINDS.on("statistics", tables.statistics()),
                row -> row.getString(1)));
    if (seen.isEmpty()) {
      return List.of();
    }
    kinds.keySet().removeAll(seen);
    return kinds.entrySet().stream()
        .limit(MOST_KINDS)
        .map(kind -> notSeen(kind.getKey(), kind.getValue()))
        .toList();
  }

  /** Its first task may still run, which the database cannot tell: so this never holds all. */
  private static Reason notSeen(String kind, Pending pending) {
    return new Reason(
        Code.KIND_NOT_SEEN,
        false,
        "no attempt of kind "
            + kind
            + " has ended in this hour and the last one, of any tenant, and its oldest task is"
            + " pending for "
            + ReasonText.time(pending.oldest())
            + ": check that a live worker handles it",
        data(kind, pending));
  }

  private static Map<String, Object> data(String kind, Pending pending) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("kind", kind);
    data.put("pending", pending.tasks());
    data.put("oldestPendingSeconds", pending.oldest().toMillis() / 1e3);
    return data;
  }
}
