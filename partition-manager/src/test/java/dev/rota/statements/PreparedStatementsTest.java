package dev.rota.statements;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.graph.internal.GraphDdl;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the server prepares every statement of the files, for a tenant of one lane and for one
 * of several. So tables, columns and types fit. Commands such as TRUNCATE are only parsed.
 */
@Tag("exhaustive")
class PreparedStatementsTest {

  private static final RegistryTables ROTA = new RegistryTables("rota");

  @ParameterizedTest
  @ValueSource(ints = {15, 16, 17, 18})
  void everyStatementIsPrepared(int version) throws SQLException {
    List<Sql> statements = Constants.named();
    try (TestDatabase database = MigratedDatabase.onVersion(version);
        Rota rota = Rota.connect(database.jdbcUrl())) {
      List<String> refused = new ArrayList<>();
      for (int lanes : List.of(1, 3)) {
        int number = tenant(rota, database, lanes);
        refused.addAll(refused(database, statements, new Places(number, lanes)));
      }
      assertThat(refused).isEmpty();
      assertThat(statements).hasSizeGreaterThan(300);
    }
  }

  /** With the tables of every feature. */
  private static int tenant(Rota rota, TestDatabase database, int lanes) throws SQLException {
    Tenant tenant = rota.tenants().register("lanes-" + lanes);
    TenantTables tables = ROTA.tenant(tenant.number());
    List<String> ddl = new ArrayList<>(List.of(new TenantDdl(ROTA).open(tables)));
    ddl.addAll(TenantDdl.createKeys(tables));
    ddl.addAll(TenantDdl.createAssignments(tables));
    ddl.addAll(GraphDdl.create(tables));
    for (int lane = 1; lane < lanes; lane++) {
      List<Integer> priorities = IntStream.rangeClosed(0, lane).boxed().toList();
      ddl.addAll(new TenantDdl(ROTA).createLane(tables, priorities));
    }
    for (String statement : ddl) {
      database.execute(statement);
    }
    return tenant.number();
  }

  private static List<String> refused(TestDatabase database, List<Sql> statements, Places places)
      throws SQLException {
    List<String> refused = new ArrayList<>();
    try (Connection connection = database.connect()) {
      for (Sql statement : statements) {
        String text = places.render(statement);
        try (PreparedStatement prepared = connection.prepareStatement(text)) {
          assertThat(prepared.getParameterMetaData()).isNotNull();
        } catch (SQLException e) {
          refused.add(statement.call() + ": " + e.getMessage() + "\n" + text);
        }
      }
    }
    return refused;
  }
}
