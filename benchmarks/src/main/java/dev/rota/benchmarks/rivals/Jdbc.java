package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Helpers for hand-written JDBC. */
final class Jdbc {

  private static final String COUNT_ROWS =
      """
      create or replace function count_rows(names text) returns bigint language plpgsql as $body$
      declare
        found regclass;
        part  bigint;
        total bigint := 0;
      begin
        for found in select oid from pg_class where relkind = 'r' and relname ~ names loop
          execute 'select count(*) from ' || found into part;
          total := total + part;
        end loop;
        return total;
      end $body$""";

  private Jdbc() {}

  /** Appends a parameter to a URL. */
  static String with(String url, String parameter) {
    return url + (url.contains("?") ? "&" : "?") + parameter;
  }

  /** Opens a connection that prepares each statement on the server when it is first executed. */
  static Connection connect(String url) throws SQLException {
    String cached = with(url, "preparedStatementCacheQueries=0");
    return DriverManager.getConnection(with(cached, "prepareThreshold=1"));
  }

  static void execute(String url, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  static long number(String url, String query) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Counts the rows of all tables whose names match. */
  static long countRows(String url, String names) throws SQLException {
    execute(url, COUNT_ROWS);
    return number(url, "select count_rows('" + names + "')");
  }
}
