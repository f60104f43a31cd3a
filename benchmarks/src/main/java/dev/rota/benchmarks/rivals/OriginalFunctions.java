package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The two PL/pgSQL functions of the original design, rewritten: one call a transaction, tables
 * {@code task_init_N} and {@code task_hist_N} for each tenant.
 */
final class OriginalFunctions implements Contender {

  private static final String TABLES =
      """
      do $body$
      begin
        for n in 1..%d loop
          execute format('create table task_init_%%s (uid int, ptid bigint, tid serial, state int
            default 1, retry int default -1, info text, ts timestamp)
            with (autovacuum_enabled = off)', n);
          execute format('create table task_hist_%%s (uid int, ptid bigint, tid int, state int,
            retry int, info text, ts timestamp) with (autovacuum_enabled = off)', n);
        end loop;
      end $body$""";

  private static final String PRODUCE =
      """
      create function produce(tenant int, info text, ts timestamp) returns void
        language plpgsql as $body$
      begin
        execute format('insert into task_init_%s (uid, info, ts) values ($1, $2, $3)', tenant)
          using tenant, info, ts;
      end $body$""";

  private static final String CONSUME =
      """
      create function consume(tenant int, batch int) returns bigint
        language plpgsql set enable_seqscan = off as $body$
      declare
        moved bigint;
      begin
        execute format(
          'with gone as (
             delete from task_init_%1$s where ctid = any (array(
               select ctid from task_init_%1$s where pg_try_advisory_xact_lock($1) limit $2))
             returning *)
           insert into task_hist_%1$s select * from gone', tenant)
          using tenant, batch;
        get diagnostics moved = row_count;
        return moved;
      end $body$""";

  private static final int THREADS = 4;

  private final String url;
  private final RivalWorkload workload;
  private @Nullable Crew crew;

  /** Creates the contender in a new database. */
  OriginalFunctions(String url, RivalWorkload workload) throws SQLException {
    this.url = url;
    this.workload = workload;
    Jdbc.execute(url, TABLES.formatted(workload.tenants()), PRODUCE, CONSUME);
  }

  @Override
  public RivalProducer producer() throws SQLException {
    return new Calls(Jdbc.connect(url), workload.payloadText());
  }

  @Override
  public void fill(int tasks) throws Exception {
    Filling.fill(this, workload.tenants(), tasks);
  }

  @Override
  public void drain(int tasks) throws Exception {
    Crew hired = crew == null ? new Crew(Math.min(THREADS, workload.tenants())) : crew;
    crew = hired;
    hired.run(member -> consume(member, hired.size(), tasks / workload.tenants()));
  }

  /** Takes the tasks of a tenant until there are none left, then those of the next one. */
  private void consume(int member, int members, long each) throws SQLException {
    try (Connection connection = Jdbc.connect(url);
        PreparedStatement call = connection.prepareStatement("select consume(?, ?)")) {
      for (int tenant = member + 1; tenant <= workload.tenants(); tenant += members) {
        long left = each;
        while (left > 0) {
          left -= consumeOnce(call, tenant);
        }
      }
    }
  }

  private long consumeOnce(PreparedStatement call, int tenant) throws SQLException {
    call.setInt(1, tenant);
    call.setInt(2, workload.batch());
    try (ResultSet row = call.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public Census census() throws SQLException {
    return new Census(
        Jdbc.countRows(url, "^task_init_\\d+$"), Jdbc.countRows(url, "^task_hist_\\d+$"));
  }

  @Override
  public void close() {
    if (crew != null) {
      crew.close();
    }
  }

  /**
   * Calls the function that stores. Many tasks at once are only for filling the tables before a
   * measurement.
   */
  private static final class Calls implements RivalProducer {
    private final Connection connection;
    private final PreparedStatement call;
    private final PreparedStatement calls;
    private final String payload;

    Calls(Connection connection, String payload) throws SQLException {
      this.connection = connection;
      this.call = connection.prepareStatement("select produce(?, ?, localtimestamp)");
      this.calls =
          connection.prepareStatement(
              "select count(produce(?, ?, localtimestamp)) from generate_series(1, ?)");
      this.payload = payload;
    }

    @Override
    public void enqueue(int tenant, int tasks) throws SQLException {
      PreparedStatement fitting = tasks == 1 ? call : calls;
      fitting.setInt(1, tenant + 1);
      fitting.setString(2, payload);
      if (tasks > 1) {
        fitting.setInt(3, tasks);
      }
      fitting.execute();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
