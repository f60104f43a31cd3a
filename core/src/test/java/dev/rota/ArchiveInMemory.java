package dev.rota;

import dev.rota.history.ArchiveException;
import dev.rota.history.ArchivedRows;
import dev.rota.history.ArchivedSegment;
import dev.rota.history.HistoryArchive;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** An archive for tests: takes segments out of the database and keeps their rows in memory. */
final class ArchiveInMemory implements HistoryArchive {

  private static final String COLUMNS =
      "id, state, attempt, kind, payload, parent_id, created_at, claimed_at, finished_at, error,"
          + " batch_id, segment, worker, key, priority, headers";

  private final RotaFixture fixture;
  private final Map<String, List<Object[]>> files = new ConcurrentHashMap<>();

  ArchiveInMemory(RotaFixture fixture) {
    this.fixture = fixture;
  }

  static String key(Tenant tenant, int seq) {
    return tenant.number() + "/" + seq;
  }

  /** Lets a segment be found in the archive, and no more in the database. */
  void move(Tenant tenant, int seq) throws SQLException {
    copy(tenant, seq);
    Segments.drop(fixture, tenant, seq);
  }

  /** Lets a segment be found in the archive as well. */
  void copy(Tenant tenant, int seq) throws SQLException {
    String view = "rota_%1$d.task_hist_%1$d".formatted(tenant.number());
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "select %s from %s where segment = %d".formatted(COLUMNS, view, seq))) {
      List<Object[]> rows = new ArrayList<>();
      while (found.next()) {
        rows.add(values(found));
      }
      files.put(key(tenant, seq), rows);
    }
    fixture.execute(
        """
        insert into rota.archive (tenant, seq, opened_at, sealed_at, key, bytes, rows, sha256,
                                  id_from, id_to, created_from, created_to, archived_at)
        select %1$d, %2$d, now(), now(), '%3$s', 1, count(*), 'x', min(id), max(id),
               min(created_at), max(created_at), now()
          from %4$s where segment = %2$d"""
            .formatted(tenant.number(), seq, key(tenant, seq), view));
  }

  @Override
  public ArchivedRows open(ArchivedSegment segment) {
    List<Object[]> rows = files.get(segment.key());
    if (rows == null) {
      throw new ArchiveException(segment.key() + " is not in the archive");
    }
    try {
      Connection connection = DriverManager.getConnection("jdbc:duckdb:");
      fill(connection, rows);
      return new Rows(connection);
    } catch (SQLException e) {
      throw new ArchiveException(segment.key() + " cannot be opened", e);
    }
  }

  private static void fill(Connection connection, List<Object[]> rows) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          """
          create table task_hist (id bigint, state varchar, attempt integer, kind varchar,
            payload varchar, parent_id bigint, created_at timestamptz, claimed_at timestamptz,
            finished_at timestamptz, error varchar, batch_id bigint, segment integer,
            worker bigint, key varchar, priority integer, headers varchar)""");
    }
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into task_hist values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      for (Object[] row : rows) {
        for (int i = 0; i < row.length; i++) {
          insert.setObject(i + 1, row[i]);
        }
        insert.execute();
      }
    }
  }

  private static Object[] values(ResultSet row) throws SQLException {
    Object[] values = new Object[row.getMetaData().getColumnCount()];
    for (int i = 0; i < values.length; i++) {
      boolean time = row.getMetaData().getColumnName(i + 1).endsWith("_at");
      values[i] =
          time ? row.getObject(i + 1, java.time.OffsetDateTime.class) : row.getObject(i + 1);
    }
    return values;
  }

  private record Rows(Connection connection) implements ArchivedRows {

    @Override
    public void close() {
      try {
        connection.close();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
