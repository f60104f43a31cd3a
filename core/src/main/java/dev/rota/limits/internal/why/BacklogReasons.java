package dev.rota.limits.internal.why;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.Reason;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.internal.why.Subject.Backlog;
import dev.rota.limits.internal.why.Subject.Delayed;
import dev.rota.limits.internal.why.Subject.Others;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The reasons that lie in the tasks: none is pending, or they wait for something. Thread-safe. */
final class BacklogReasons implements ReasonSource {

  private static final Sql LOOK_FOR_LEADER = Sql.named("look_for_leader");
  private static final Sql READ_ROWS_SET_ASIDE = Sql.named("read_rows_set_aside_of_tenant");

  private static final int MOST_SET_ASIDE = 10;

  private final RegistryTables tables;
  private final int lockNamespace;

  BacklogReasons(RegistryTables tables, int lockNamespace) {
    this.tables = tables;
    this.lockNamespace = lockNamespace;
  }

  @Override
  public List<Reason> reasons(Session session, Subject subject) throws SQLException {
    Backlog backlog = subject.backlog();
    boolean nothing = backlog.pending() == 0;
    List<Reason> reasons = new ArrayList<>();
    if (nothing && !subject.tenant().state().parked()) {
      reasons.add(nothingPending(backlog));
    }
    if (backlog.delayed().tasks() > 0) {
      reasons.add(delayed(backlog.delayed()));
    }
    if (backlog.delayed().due() > 0 && !isLed(session)) {
      reasons.add(
          new Reason(
              Code.NO_DAEMON,
              nothing,
              "due, and not promoted since no daemon leads: "
                  + ReasonText.count(backlog.delayed().due(), "task"),
              Map.of("tasks", backlog.delayed().due())));
    }
    if (backlog.others().blocked() > 0) {
      reasons.add(
          new Reason(
              Code.BLOCKED,
              false,
              "waiting for prerequisites in graphs: "
                  + ReasonText.count(backlog.others().blocked(), "task"),
              Map.of("tasks", backlog.others().blocked())));
    }
    if (nothing && backlog.others().keys() > 0) {
      reasons.add(keysTaken(backlog.others()));
    }
    reasons.addAll(setAside(session, subject.tenant().number()));
    return reasons;
  }

  private static Reason nothingPending(Backlog backlog) {
    long running = backlog.others().running();
    return new Reason(
        Code.NOTHING_PENDING,
        true,
        "no task is pending; workers have claimed " + ReasonText.count(running, "task"),
        Map.of("running", running));
  }

  private static Reason delayed(Delayed delayed) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("tasks", delayed.tasks());
    data.put("retries", delayed.retries());
    String text =
        "waiting for their time: "
            + ReasonText.count(delayed.tasks(), "task")
            + (delayed.retries() > 0 ? ", retries among them: " + delayed.retries() : "");
    if (delayed.next() == null) {
      return new Reason(Code.DELAYED, false, text, data);
    }
    data.put("nextDue", delayed.next().toString());
    return new Reason(Code.DELAYED, false, text + "; the next is due at " + delayed.next(), data);
  }

  private static Reason keysTaken(Others others) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("keys", others.keys());
    data.put("ofEndedTasks", others.keysOfEnded());
    return new Reason(
        Code.KEYS_TAKEN,
        false,
        "taken: "
            + ReasonText.count(others.keys(), "key")
            + ", by ended tasks: "
            + others.keysOfEnded()
            + "; an enqueue with one of them adds no task",
        data);
  }

  private boolean isLed(Session session) throws SQLException {
    return !session
        .run(
            BoundStatement.query(
                LOOK_FOR_LEADER,
                row -> row.getInt(1),
                (long) lockNamespace,
                (long) DaemonWatch.LEADER))
        .isEmpty();
  }

  private List<Reason> setAside(Session session, int tenant) throws SQLException {
    return session.run(
        BoundStatement.query(
            READ_ROWS_SET_ASIDE.call(),
            READ_ROWS_SET_ASIDE.on("set_aside", tables.setAside()),
            row ->
                setAside(
                    row.getLong(1),
                    row.getLong(2),
                    row.getObject(3, OffsetDateTime.class),
                    row.getString(4)),
            tenant,
            MOST_SET_ASIDE));
  }

  private static Reason setAside(long rows, long last, OffsetDateTime at, String reason) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("tasks", rows);
    data.put("lastTask", last);
    data.put("lastAt", at.toInstant().toString());
    data.put("reason", reason);
    return new Reason(
        Code.SET_ASIDE,
        false,
        "set aside, since no worker can run them: "
            + ReasonText.count(rows, "row")
            + ", the last at "
            + at.toInstant()
            + ": "
            + reason,
        data);
  }
}
