package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Stores a batch by one insert of arrays, prepared once for each tenant. */
final class FloorInsert implements RivalProducer {

  private static final String INSERT =
      """
      insert into rota_%1$d.task_init_%1$d_0 (id, created_at, parent_id, attempt, kind, payload)
      select u.id, now(), u.parent_id, 0, u.kind, u.payload
        from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[])
             as u (id, parent_id, kind, payload)""";

  private final Connection connection;
  private final NumberBlocks ids;
  private final String payload;
  private final Map<Integer, PreparedStatement> statements = new HashMap<>();

  FloorInsert(String url, String payload) throws SQLException {
    this.connection = Jdbc.connect(url);
    this.ids = NumberBlocks.ofTasks(connection);
    this.payload = payload;
  }

  @Override
  public void enqueue(int tenant, int tasks) throws SQLException {
    long[] numbers = new long[tasks];
    for (int i = 0; i < tasks; i++) {
      numbers[i] = ids.take();
    }
    String[] kinds = new String[tasks];
    Arrays.fill(kinds, RivalWorkload.KIND);
    String[] payloads = new String[tasks];
    Arrays.fill(payloads, payload);
    PreparedStatement insert = statementOf(tenant);
    insert.setObject(1, numbers);
    insert.setObject(2, new Long[tasks]);
    insert.setObject(3, kinds);
    insert.setObject(4, payloads);
    insert.executeUpdate();
  }

  private PreparedStatement statementOf(int tenant) throws SQLException {
    PreparedStatement known = statements.get(tenant);
    if (known == null) {
      known = connection.prepareStatement(INSERT.formatted(tenant + 1));
      statements.put(tenant, known);
    }
    return known;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
