package dev.rota.benchmarks.rivals;

import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** Stores a batch by COPY, as text. */
final class FloorCopy implements RivalProducer {

  private static final String COPY =
      "copy rota_%1$d.task_init_%1$d_0 (id, created_at, parent_id, attempt, kind, payload) from stdin";

  private final Connection connection;
  private final CopyManager copies;
  private final NumberBlocks ids;
  private final String payload;

  FloorCopy(String url, String payload) throws SQLException {
    this.connection = Jdbc.connect(url);
    this.copies = connection.unwrap(PGConnection.class).getCopyAPI();
    this.ids = NumberBlocks.ofTasks(connection);
    this.payload = payload;
  }

  @Override
  public void enqueue(int tenant, int tasks) throws SQLException, IOException {
    String ending =
        "\t"
            + OffsetDateTime.now(ZoneOffset.UTC)
            + "\t\\N\t0\t"
            + RivalWorkload.KIND
            + "\t"
            + payload
            + "\n";
    StringBuilder rows = new StringBuilder(tasks * (ending.length() + 12));
    for (int i = 0; i < tasks; i++) {
      rows.append(ids.take()).append(ending);
    }
    copies.copyIn(COPY.formatted(tenant + 1), new StringReader(rows.toString()));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
