package dev.rota.benchmarks.rivals;

import dev.rota.NewTask;
import dev.rota.Tenant;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Tasks enqueued in transactions of the caller, which are committed later, all at once. */
final class OpenFilling {

  private static final int CONNECTIONS = 4;
  private static final int MOST_TOGETHER = 1_000;

  private final List<Connection> connections = new ArrayList<>();
  private final List<Tenant> tenants;
  private final NewTask task;

  OpenFilling(String url, List<Tenant> tenants, NewTask task) throws SQLException {
    this.tenants = tenants;
    this.task = task;
    for (int i = 0; i < CONNECTIONS; i++) {
      Connection connection = DriverManager.getConnection(url);
      connection.setAutoCommit(false);
      connections.add(connection);
    }
  }

  /** Gives each tenant the same number of tasks. */
  void fill(int each) throws Exception {
    try (Crew crew = new Crew(CONNECTIONS)) {
      crew.run(
          member -> {
            for (int i = member; i < tenants.size(); i += CONNECTIONS) {
              fill(connections.get(member), tenants.get(i), each);
            }
          });
    }
  }

  private void fill(Connection connection, Tenant tenant, int each) {
    for (int left = each; left > 0; left -= MOST_TOGETHER) {
      tenant.enqueueAll(connection, Collections.nCopies(Math.min(left, MOST_TOGETHER), task));
    }
  }

  /** Commits the tasks. */
  void commit() throws SQLException {
    for (Connection connection : connections) {
      connection.commit();
      connection.close();
    }
  }
}
