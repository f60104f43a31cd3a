package dev.rota.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.RotaFixture;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackendMemoryTest {

  private final StatementCache prepared = new StatementCache("test_");

  @Test
  void countsTheStatementsThatASessionSends() throws Exception {
    try (RotaFixture fixture = RotaFixture.open();
        Connection connection = DriverManager.getConnection(fixture.database().jdbcUrl())) {
      Session session =
          new Session(connection, StatementObserver.NONE, null, prepared, new ServerHistory());
      session.execute("make", List.of("create temp table t (n int)", "create temp table u ()"));
      assertThat(kilobytes()).isEqualTo(2);
      session.run(BoundStatement.update("insert", "insert into t values (?)", 1));
      assertThat(kilobytes()).isEqualTo(6);
      session.run(BoundStatement.update("insert", "insert into t values (?)", 2));
      session.run(BoundStatement.update("insert", "insert into t values (3)"));
      assertThat(kilobytes()).as("nothing new").isEqualTo(6);
      session.opens(600, 1_000);
      assertThat(kilobytes()).isEqualTo(6 + 2_040);
      session.opens(600, 1_000);
      session.opens(0, 10);
      assertThat(kilobytes()).as("all of them, once").isEqualTo(6 + 3_400);
    }
  }

  private int kilobytes() {
    return prepared.caches().kilobytes();
  }
}
