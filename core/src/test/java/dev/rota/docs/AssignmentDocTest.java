package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import dev.rota.testing.Documents;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the examples in docs/assignment.md are these compiled ones, and run; so does its SQL.
 */
class AssignmentDocTest {

  private static final String DOCUMENT = "docs/assignment.md";
  private static final String EXAMPLE = "core/src/test/java/dev/rota/docs/AssignmentExample.java";

  @ParameterizedTest
  @ValueSource(strings = {"worker pool", "task pool", "pair pool", "transaction"})
  void showsTheCompiledExample(String region) {
    assertThat(Documents.blocks(DOCUMENT, "java")).contains(Documents.region(EXAMPLE, region));
  }

  @Test
  void examplesRun() throws SQLException {
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      List<String> done = new ArrayList<>();
      AssignmentExample example =
          new AssignmentExample(acme, (worker, task) -> done.add(worker + " at " + task));
      WorkerPool crawlers = acme.assignments().workers("crawlers");
      TaskPool pages = acme.assignments().tasks("pages");
      PairPool crews = acme.assignments().pairs("crews");

      example.taskAsks();
      assertThat(done).singleElement().asString().matches("[123] at 4711");
      assertThat(crawlers.countFree()).isEqualTo(3);
      done.clear();
      example.workerAsks();
      assertThat(done).containsExactlyInAnyOrder("7 at 100", "7 at 101", "7 at 102");
      assertThat(pages.countFree()).isZero();
      done.clear();
      example.bothAreGiven();
      assertThat(done).containsExactly("7 at 4711");
      assertThat(crews.findByTask(4711)).isEmpty();
      example.inATransaction(database.dataSource(), crawlers);
      assertThat(crawlers.findByTask(4711)).isPresent();

      for (String sql : Documents.blocks(DOCUMENT, "sql monitoring")) {
        database.execute(sql.replace("rota_7", "rota_1").replace("_7", "_1"));
      }
    }
  }
}
