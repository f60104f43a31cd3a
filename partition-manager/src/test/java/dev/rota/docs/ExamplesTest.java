package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import dev.rota.testing.ExampleProgram;
import dev.rota.testing.TestDatabase;
import jakarta.enterprise.event.Shutdown;
import jakarta.enterprise.event.Startup;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the examples for other languages, and the one for Quarkus, do what they say. */
class ExamplesTest {

  @TempDir private Path folder;

  /** A step of an example that enqueues. */
  private interface Enqueuing {
    void run(TestDatabase database) throws Exception;
  }

  @Test
  void pythonEnqueues() throws Exception {
    String python = ExampleProgram.interpreter("python3", "-c", "import psycopg2");
    Path example = ExampleProgram.folder("python");
    assertTasksRun(
        database -> ExampleProgram.run(database, example, python, "enqueue.py"),
        "{\"to\": \"joe\"}",
        "{\"item\": \"book\"}");
  }

  @Test
  @Tag("exhaustive")
  void nodeEnqueues() throws Exception {
    String node = ExampleProgram.interpreter("node", "--version");
    for (String file : List.of("package.json", "enqueue.mjs")) {
      Files.copy(ExampleProgram.folder("node").resolve(file), folder.resolve(file));
    }
    ExampleProgram.interpreter(
        "npm", "install", "--no-audit", "--no-fund", "--prefix", folder.toString());
    assertTasksRun(
        database -> ExampleProgram.run(database, folder, node, "enqueue.mjs"),
        "{\"to\":\"joe\"}",
        "{\"item\":\"book\"}");
  }

  @Test
  @Tag("exhaustive")
  void sqlEnqueues() throws Exception {
    String script = Files.readString(ExampleProgram.folder("sql").resolve("enqueue.sql"));
    assertTasksRun(
        database -> {
          try (Connection connection = database.connect();
              Statement statement = connection.createStatement()) {
            statement.execute(script);
          }
        },
        "{\"to\": \"joe\"}",
        "{\"item\": \"book\"}",
        "{\"item\" : \"pen\"}");
  }

  /** Calls the bean as a container of CDI does: its producer, then the events of its life. */
  @Test
  @Tag("exhaustive")
  void theBeanOfQuarkusRunsItsTask() throws Exception {
    List<String> sent = new CopyOnWriteArrayList<>();
    try (TestDatabase database = TestDatabase.create();
        ExampleProgram program = ExampleProgram.compile("quarkus", folder)) {
      Class<?> type = program.type("example.Tasks");
      Object bean = type.getConstructor().newInstance();
      Rota rota = (Rota) method(type, "rota", DataSource.class).invoke(bean, database.dataSource());
      Consumer<String> mailer = sent::add;
      method(type, "start", Startup.class, Rota.class, Consumer.class)
          .invoke(bean, new Startup(), rota, mailer);
      Await.until("the task has run", () -> !sent.isEmpty());
      method(type, "stop", Shutdown.class, Rota.class).invoke(bean, new Shutdown(), rota);
      assertThat(sent).containsExactly("{\"to\": \"joe\"}");
      assertThat(method(type, "mailer").invoke(null)).isInstanceOf(Consumer.class);
    }
  }

  private static Method method(Class<?> type, String name, Class<?>... parameters)
      throws NoSuchMethodException {
    Method method = type.getDeclaredMethod(name, parameters);
    method.setAccessible(true);
    return method;
  }

  private static void assertTasksRun(Enqueuing example, String... payloads) throws Exception {
    List<String> ran = new CopyOnWriteArrayList<>();
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      try (Worker worker =
          rota.worker().handle("email.send", task -> ran.add(task.payload())).start()) {
        example.run(database);
        Await.until("all tasks have run", () -> ran.size(), payloads.length);
        assertThat(worker.statistics().failed()).isZero();
      }
      assertThat(ran).containsExactlyInAnyOrder(payloads);
      assertThat(acme.history().scanStates()).containsEntry(TaskState.WAITING, 1L);
    }
  }
}
