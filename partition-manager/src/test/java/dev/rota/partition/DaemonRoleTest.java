package dev.rota.partition;

import static dev.rota.partition.DaemonFixture.await;
import static dev.rota.partition.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Roles;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A daemon and a worker that log in with the rights of their roles alone keep a tenant going over
 * rotations, new segments and dropped ones.
 */
class DaemonRoleTest {

  private static final List<String> LOGINS = List.of("application", "daemon");

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void daemonAndApplicationNeedNoMoreThanTheirRoles(int major) throws Exception {
    try (TestDatabase database = TestDatabase.onVersion(major)) {
      Roles roles = Roles.withPrefix("d_" + database.name());
      try {
        migrate(database, roles);
        keepGoing(database);
        assertThat(owners(database)).containsExactly(roles.daemon());
      } finally {
        drop(database, roles);
      }
    }
  }

  private static void migrate(TestDatabase database, Roles roles) throws SQLException {
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.migrate(roles);
      rota.tenants().register("acme").enqueue(NewTask.of("k", "{}").withKey("of the owner"));
    }
    for (String login : LOGINS) {
      String role = login.equals("daemon") ? roles.daemon() : roles.application();
      database.execute("create role " + login(database, login) + " login in role " + role);
    }
  }

  private static void keepGoing(TestDatabase database) throws Exception {
    AtomicInteger runs = new AtomicInteger();
    try (Rota daemons = rota(database, "daemon");
        Rota applications = rota(database, "application");
        RotationDaemon daemon =
            RotationDaemon.builder(daemons)
                .rotateEvery(Duration.ofSeconds(1))
                .segmentBytes(0)
                .keepHistory(Duration.ofSeconds(1))
                .keepLedger(Duration.ofSeconds(1))
                .tick(Duration.ofMillis(20))
                .start();
        Worker worker = applications.worker().handle("k", task -> runs.incrementAndGet()).start()) {
      Tenant acme = applications.tenants().get("acme");
      int enqueued = 1;
      while (!hasDoneEverything(daemon.statistics())) {
        acme.enqueueAll(tasks("k", 20));
        acme.enqueue(NewTask.of("k", "{}").after(Duration.ofMillis(10)));
        enqueued += 21;
        int all = enqueued;
        await("they have run", () -> runs.get() >= all);
      }
      assertThat(daemon.isLeading()).isTrue();
    }
  }

  private static boolean hasDoneEverything(DaemonStatistics done) {
    return done.rotations() > 1
        && done.promoted() > 0
        && done.segments().opened() > 1
        && done.segments().dropped() > 0
        && done.segments().ledgerDropped() > 0;
  }

  private static Rota rota(TestDatabase database, String login) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(database.jdbcUrl());
    source.setUser(login(database, login));
    return Rota.builder(source).build();
  }

  private static String login(TestDatabase database, String name) {
    return "login_" + name + "_" + database.name();
  }

  private static List<String> owners(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select array_agg(distinct c.relowner::regrole::text) from pg_class c"
                    + " where c.relname ~ '^task_(hist|init|batch|wait|key)'")) {
      row.next();
      return List.of((String[]) row.getArray(1).getArray());
    }
  }

  private static void drop(TestDatabase database, Roles roles) throws SQLException {
    for (String login : LOGINS) {
      database.execute("drop role if exists " + login(database, login));
    }
    for (String role :
        List.of(roles.reader(), roles.application(), roles.daemon(), roles.owner())) {
      database.execute("drop owned by " + role + " cascade; drop role " + role);
    }
  }
}
