package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.testing.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Behind a PgBouncer in transaction mode, with the driver's settings as they are: what was
 * acknowledged is there.
 */
class PgBouncerTest {

  private static final int PRODUCERS = 8;
  private static final int ROUNDS = 25;

  @TempDir private Path folder;

  private final List<Exception> refusals = new CopyOnWriteArrayList<>();
  private RotaFixture fixture;
  private Process pooler;
  private int port;

  @BeforeEach
  void open() throws Exception {
    Path program = program();
    assumeTrue(program != null, "no pgbouncer on this machine");
    fixture = RotaFixture.open();
    for (int i = 0; i < PRODUCERS; i++) {
      fixture.rota().tenants().register("tenant-" + i);
    }
    start(program);
  }

  @AfterEach
  void close() throws Exception {
    if (fixture != null) {
      fixture.close();
    }
    if (pooler != null) {
      pooler.destroy();
      pooler.waitFor();
    }
  }

  @Test
  void whatIsAcknowledgedIsThere() throws Exception {
    Set<Long> acknowledged = new HashSet<>();
    ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);
    try {
      List<Future<List<Long>>> producers = new ArrayList<>();
      for (int i = 0; i < PRODUCERS; i++) {
        int number = i;
        producers.add(threads.submit(() -> produce(number)));
      }
      for (Future<List<Long>> producer : producers) {
        acknowledged.addAll(producer.get(2, TimeUnit.MINUTES));
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(stored()).containsAll(acknowledged);
    assertThat(refusals).isEmpty();
    assertThat(acknowledged).hasSize(PRODUCERS * ROUNDS * 5);
    assertThat(stored()).hasSize(PRODUCERS * ROUNDS * 5);
  }

  /** Each in another order, so that the same names of the driver mean other statements. */
  private List<Long> produce(int number) {
    List<Long> ids = new ArrayList<>();
    try (HikariDataSource pool = pool();
        Rota rota = Rota.builder(pool).doorbell(false).build()) {
      for (int i = 0; i < 4 * ROUNDS; i++) {
        try {
          Tenant tenant = rota.tenants().get("tenant-" + (number + i) % PRODUCERS);
          ids.addAll(enqueue((number + i) % 4, tenant, pool));
        } catch (RuntimeException | SQLException e) {
          refusals.add(e);
        }
      }
    }
    return ids;
  }

  private static List<Long> enqueue(int way, Tenant tenant, HikariDataSource pool)
      throws SQLException {
    NewTask task = NewTask.of("k", "{}");
    return switch (way) {
      case 0 -> List.of(tenant.enqueue(task));
      case 1 -> tenant.enqueueAll(List.of(task, task));
      case 2 -> List.of(tenant.enqueueAsync(task).join());
      default -> enqueueInTransaction(tenant, task, pool);
    };
  }

  private static List<Long> enqueueInTransaction(Tenant tenant, NewTask task, HikariDataSource pool)
      throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      long id = tenant.enqueue(connection, task);
      connection.commit();
      return List.of(id);
    }
  }

  private Set<Long> stored() throws SQLException {
    Set<Long> stored = new HashSet<>();
    try (Connection connection = fixture.database().connect()) {
      for (TenantInfo tenant : fixture.rota().tenants().list()) {
        String ring = "rota_%1$d.task_init_%1$d".formatted(tenant.number());
        TestDatabase.texts(connection, "select id from " + ring)
            .forEach(id -> stored.add(Long.valueOf(id)));
      }
    }
    return stored;
  }

  private HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url());
    config.setMaximumPoolSize(3);
    return new HikariDataSource(config);
  }

  private String url() {
    return fixture.database().jdbcUrl().replaceFirst(":\\d+/", ":" + port + "/");
  }

  private void start(Path program) throws Exception {
    PGSimpleDataSource server = (PGSimpleDataSource) fixture.database().dataSource();
    port = freePort();
    Path settings = folder.resolve("pgbouncer.ini");
    Files.writeString(
        settings,
        """
        [databases]
        * = host=127.0.0.1 port=%d user=%s %s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = 6
        ignore_startup_parameters = extra_float_digits
        """
            .formatted(
                server.getPortNumbers()[0],
                server.getUser(),
                password(server.getPassword()),
                port));
    List<String> command = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      // It refuses to run as root: so it does not see that it does.
      command.addAll(List.of("unshare", "--user"));
    }
    command.addAll(List.of(program.toString(), settings.toString()));
    pooler =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    RotaFixture.await("pgbouncer listens", this::isUp);
  }

  private static String password(@Nullable String text) {
    return text == null || text.isEmpty() ? "" : "password='" + text + "'";
  }

  private boolean isUp() throws IOException {
    if (!pooler.isAlive()) {
      throw new IllegalStateException(Files.readString(folder.resolve("log")));
    }
    try (Connection connection = DriverManager.getConnection(url())) {
      return connection.isValid(5);
    } catch (SQLException e) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static @Nullable Path program() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(each -> Path.of(each, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }
}
