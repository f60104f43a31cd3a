package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The functions of the original design of worker assignment, rewritten: unique columns, and
 * advisory locks that are tried. One call a transaction, and a connection for each thread.
 */
final class OriginalAssignments implements AssignmentContender {

  private static final String TABLES =
      """
      create table java_pool (tid int primary key, taskid int unique);
      create table task_pool (taskid int primary key, tid int unique);
      create table pair_pool (tid int primary key, taskid int unique)""";

  /** Returns the worker's number; -1 if the task has one already; -2 after another failure. */
  private static final String SET_MASTER =
      """
      create function set_master(asking int) returns int language plpgsql as $body$
      declare
        given int;
      begin
        update java_pool set taskid = asking
         where tid = (select tid from java_pool
                       where taskid is null and pg_try_advisory_xact_lock(1, tid) limit 1)
           and taskid is null and pg_try_advisory_xact_lock(2, asking)
        returning tid into given;
        return given;
      exception
        when unique_violation then return -1;
        when others then return -2;
      end $body$""";

  private static final String RELEASE_MASTER =
      """
      create function release_master(held int, of_task int) returns int language plpgsql as $body$
      declare
        released int;
      begin
        update java_pool set taskid = null
         where tid = held and taskid = of_task and pg_try_advisory_xact_lock(1, held)
        returning tid into released;
        return released;
      exception
        when others then return -2;
      end $body$""";

  private static final String SET_TID =
      """
      create function set_tid(asking int) returns int language plpgsql as $body$
      declare
        given int;
      begin
        update task_pool set tid = asking
         where taskid = (select taskid from task_pool
                          where tid is null and pg_try_advisory_xact_lock(2, taskid) limit 1)
           and tid is null and pg_try_advisory_xact_lock(1, asking)
        returning taskid into given;
        return given;
      exception
        when unique_violation then return -1;
        when others then return -2;
      end $body$""";

  private static final String SET_PAIR =
      """
      insert into pair_pool (tid, taskid) select p.tid, p.taskid
        from (values (?, ?)) as p (tid, taskid)
       where pg_try_advisory_xact_lock(1, p.tid) and pg_try_advisory_xact_lock(2, p.taskid)
      on conflict do nothing returning tid""";

  private static final String RELEASE_PAIR =
      """
      delete from pair_pool
       where tid = ? and taskid = ? and pg_try_advisory_xact_lock(1, tid) returning tid""";

  private static final int NOTHING = -3;

  private final String url;
  private final Primitive primitive;

  OriginalAssignments(String url, Primitive primitive) throws SQLException {
    this.url = url;
    this.primitive = primitive;
    Jdbc.execute(url, TABLES, SET_MASTER, RELEASE_MASTER, SET_TID);
  }

  @Override
  public void fill(int questions) throws SQLException {
    Jdbc.execute(
        url,
        "truncate java_pool, task_pool, pair_pool",
        "insert into java_pool select n from generate_series(0, %d) n".formatted(WORKERS - 1),
        "insert into task_pool select n from generate_series(0, %d) n".formatted(questions - 1));
  }

  @Override
  public Client client() throws SQLException {
    return switch (primitive) {
      case WORKER_FOR_TASK ->
          new Calls(url, "select set_master(?)", "select release_master(?, ?)") {
            @Override
            public boolean ask(int worker, int task) throws SQLException {
              int given = assign(task);
              return given >= 0 && release(given, task);
            }
          };
      case TASK_FOR_WORKER ->
          new Calls(url, "select set_tid(?)", RELEASE_PAIR) {
            @Override
            public boolean ask(int worker, int task) throws SQLException {
              return assign(worker) >= 0;
            }
          };
      case PAIR ->
          new Calls(url, SET_PAIR, RELEASE_PAIR) {
            @Override
            public boolean ask(int worker, int task) throws SQLException {
              return assign(worker, task) >= 0 && release(worker, task);
            }
          };
    };
  }

  @Override
  public long assigned() throws SQLException {
    return Jdbc.number(
        url,
        """
        select (select count(*) from java_pool where taskid is not null)
             + (select count(*) from task_pool where tid is not null)
             + (select count(*) from pair_pool)""");
  }

  @Override
  public void close() {}

  /** Two statements on one connection. */
  private abstract static class Calls implements Client {
    private final Connection connection;
    private final PreparedStatement assign;
    private final PreparedStatement release;

    Calls(String url, String assign, String release) throws SQLException {
      this.connection = Jdbc.connect(url);
      this.assign = connection.prepareStatement(assign);
      this.release = connection.prepareStatement(release);
    }

    int assign(int... numbers) throws SQLException {
      return run(assign, numbers);
    }

    /**
     * Releases a pair; repeated while other sessions, which see an older state of the row, hold its
     * lock.
     */
    boolean release(int... numbers) throws SQLException {
      int released = run(release, numbers);
      while (released < 0) {
        released = run(release, numbers);
      }
      return true;
    }

    private static int run(PreparedStatement statement, int... numbers) throws SQLException {
      for (int i = 0; i < numbers.length; i++) {
        statement.setInt(i + 1, numbers[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return NOTHING;
        }
        int number = row.getInt(1);
        return row.wasNull() ? NOTHING : number;
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
