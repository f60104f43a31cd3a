package dev.rota.crash.campaign.audit;

import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.crash.server.ControlledServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Reads the tables of a campaign without Rota. */
public final class CampaignDatabase {

  private static final int FETCHED = 10_000;

  private static final String SCENE =
      """
      select 'now ' || now()
      union all
      select to_jsonb(t)::text from rota.tenant t
      union all
      select a.pid || ' ' || a.application_name || ' ' || coalesce(a.state, '') || ' for '
             || coalesce(now() - a.state_change, '0') || ', in a transaction for '
             || coalesce(now() - a.xact_start, '0') || ', waits for '
             || coalesce(a.wait_event, 'nothing') || ', blocked by '
             || pg_blocking_pids(a.pid)::text || ', holds '
             || coalesce((select string_agg(l.mode || ' of '
                                            || coalesce(l.relation::regclass::text,
                                                        l.classid || '.' || l.objid), ', ')
                            from pg_locks l
                           where l.pid = a.pid and l.granted
                             and l.locktype in ('relation', 'advisory')), 'nothing')
             || ': ' || left(a.query, 200)
        from pg_stat_activity a
       where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()""";

  /** Reads a row. */
  @FunctionalInterface
  interface Reader {
    void read(ResultSet row) throws SQLException;
  }

  private final Supplier<ControlledServer> field;
  private final List<Tenant> tenants;

  /**
   * Creates the reader of an environment.
   *
   * @param field returns its present server
   */
  public CampaignDatabase(Supplier<ControlledServer> field, List<Tenant> tenants) {
    this.field = field;
    this.tenants = tenants;
  }

  /** Describes tasks and batches that have not come to rest; empty if all have. */
  public List<String> pending() throws SQLException {
    List<String> found = new ArrayList<>();
    for (Tenant tenant : tenants) {
      int n = tenant.number();
      server()
          .texts(
              ("select state || ' task ' || id || ', mark ' || payload"
                      + " from rota_%1$d.task_init_%1$d limit 20")
                  .formatted(n))
          .forEach(task -> found.add(tenant.name() + ": " + task));
    }
    server()
        .texts("select row(b.*) from (" + ledger() + ") b where closed_at is null limit 20")
        .forEach(batch -> found.add("open batch " + batch));
    return found;
  }

  /** Describes the state of rings and sessions, for the analysis of a failure. */
  public String scene() {
    try {
      return String.join("\n", server().texts(SCENE));
    } catch (SQLException e) {
      return "the server does not tell what it does: " + e.getMessage();
    }
  }

  private ControlledServer server() {
    return field.get();
  }

  private String ledger() throws SQLException {
    return server().texts("select seq from rota.ledger_segment").stream()
        .map(seq -> "select * from rota.task_batch_" + seq)
        .collect(Collectors.joining(" union all "));
  }

  /** The number of switches of rings, over all tenants. */
  public long rotations() throws SQLException {
    return server().number("select sum(rotations) from rota.tenant");
  }

  /** The number of segments of history. */
  public long segments() throws SQLException {
    return server().number("select count(*) from rota.segment where dropped_at is null");
  }

  /**
   * Passes all rows to an auditor. All batches are closed, so that a row without a state is done.
   * The outcome of a task that passes stages is that of the last one.
   */
  public void audit(CampaignAudit auditor) throws SQLException {
    read(
        "select mark, task, attempt from effect",
        row -> auditor.effect(row.getLong(1), row.getLong(2), row.getInt(3)));
    read("select mark from ordered", row -> auditor.ordered(row.getLong(1)));
    for (Tenant tenant : tenants) {
      for (String segment : segmentsOf(tenant)) {
        read(
            "select payload::bigint, id, attempt, state, extract(epoch from finished_at) * 1000"
                + (" from " + segment + " where kind <> '" + CampaignTask.PASS_ON.kind() + "'"),
            row -> auditor.history(row.getLong(1), row(row)));
      }
    }
    pending().forEach(auditor::pending);
  }

  /**
   * Finds batches that are in the ledger more than once, and tasks that have the id of another one.
   */
  public List<String> ambiguous() throws SQLException {
    List<String> found = new ArrayList<>();
    server()
        .texts("select id from (" + ledger() + ") b group by id having count(*) > 1 limit 20")
        .forEach(batch -> found.add("batch " + batch + " stands in the ledger twice"));
    for (Tenant tenant : tenants) {
      server()
          .texts(
              ("select id from rota_%1$d.task_hist_%1$d group by id"
                      + " having count(distinct payload) > 1 limit 20")
                  .formatted(tenant.number()))
          .forEach(task -> found.add(tenant.name() + ": task " + task + " is two"));
    }
    return found;
  }

  /**
   * Reads each attempt of a closed batch: payload, attempt, state, batch, and the times in
   * milliseconds between which it was made.
   */
  void attempts(Reader reader) throws SQLException {
    for (Tenant tenant : tenants) {
      for (String segment : segmentsOf(tenant)) {
        read(
            """
            select h.payload::bigint, h.attempt, h.state, h.batch_id,
                   floor(extract(epoch from b.claimed_at) * 1000),
                   ceil(extract(epoch from coalesce(h.finished_at, b.closed_at)) * 1000)
              from %s h join (%s) b on b.id = h.batch_id and b.tenant = %d
             where h.kind <> '%s'"""
                .formatted(segment, ledger(), tenant.number(), CampaignTask.PASS_ON.kind()),
            reader);
      }
    }
  }

  private List<String> segmentsOf(Tenant tenant) throws SQLException {
    return server()
        .texts(
            ("select format('rota_%%1$s.task_hist_%%1$s_%%2$s', tenant, seq) from rota.segment"
                    + " where dropped_at is null and tenant = %d")
                .formatted(tenant.number()));
  }

  private static RerunExplanations.Row row(ResultSet row) throws SQLException {
    return new RerunExplanations.Row(
        row.getLong(2), row.getInt(3), state(row.getInt(4)), row.getLong(5));
  }

  /** The state of a code of docs/architecture.md, for a row of a closed batch. */
  private static TaskState state(int code) {
    return switch (code) {
      case 0, 1 -> TaskState.DONE;
      case 2 -> TaskState.FAILED;
      case 3 -> TaskState.DEAD;
      case 4 -> TaskState.CANCELLED;
      case 5 -> TaskState.LOST;
      case 6 -> TaskState.RELEASED;
      default -> throw new IllegalArgumentException("state " + code);
    };
  }

  private void read(String query, Reader reader) throws SQLException {
    try (Connection connection = server().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.setFetchSize(FETCHED);
      try (ResultSet rows = statement.executeQuery(query)) {
        while (rows.next()) {
          reader.read(rows);
        }
      }
    }
  }
}
