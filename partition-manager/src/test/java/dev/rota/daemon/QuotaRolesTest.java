package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rota.ChosenVersions;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what each role does for a quota, with its own rights alone. */
@ParameterizedClass
@ChosenVersions
@Tag("exhaustive")
class QuotaRolesTest {

  private static final String COUNT = "count the pending tasks of tenants with a quota";
  private static final String ROOM = "select * from rota.room(1)";
  private static final String COUNTING = "select rota.count_pending(true)";

  @Parameter int major;

  private RoleLogins logins;

  @BeforeEach
  void open() throws SQLException {
    logins = RoleLogins.onVersion(major);
    try (Rota rota = logins.rota("owner")) {
      rota.tenants().register("acme").enqueue(NewTask.of("k", "{}"));
    }
  }

  @AfterEach
  void close() {
    logins.close();
  }

  @Test
  void theOperatorSetsItTheApplicationKeepsItAndTheDaemonCounts() throws SQLException {
    try (Rota operators = logins.rota("operator");
        Rota daemons = logins.rota("daemon");
        Rota applications = logins.rota("application")) {
      operators.controls().changeLimits(Scope.tenant("acme"), limits -> limits.maxPending(10));
      Tenant acme = applications.tenants().get("acme");
      acme.enqueueAll(tasks("k", 9));
      assertThat(used(acme)).isEqualTo(10);
      assertThatThrownBy(() -> execute("application", "select rota.enqueue('acme', 'k', '{}')"))
          .extracting(e -> ((SQLException) e).getSQLState())
          .isEqualTo("53400");
      logins.database().execute("select pg_stat_reset()");
      ManualDaemon.leading(daemons).perform(COUNT);
      assertThat(used(acme)).isEqualTo(10);
    }
  }

  @Test
  void theOperatorSetsAQuotaOfPayloadsAndTheApplicationKeepsIt() throws SQLException {
    try (Rota operators = logins.rota("operator");
        Rota daemons = logins.rota("daemon");
        Rota applications = logins.rota("application")) {
      operators
          .controls()
          .changeLimits(
              Scope.tenant("acme"), limits -> limits.maxPayload(1_000, ChronoUnit.MONTHS));
      applications.tenants().get("acme").enqueue(NewTask.of("k", "x".repeat(500)));
      daemons.tenants().get("acme").enqueue(NewTask.of("k", "1"));
    }
    execute("application", "select rota.enqueue('acme', 'k', '1')");
    assertThat(logins.database().number("select used from rota.allowance")).isEqualTo(502);
    assertThatThrownBy(
            () -> execute("application", "select rota.enqueue('acme', 'k', repeat('x', 499))"))
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("53400");
  }

  @Test
  void othersNeitherAskNorCount() {
    for (String role : List.of("operator", "reader")) {
      assertDenied(role, ROOM);
      assertDenied(role, "select * from rota.lease_payload(1, 1, true)");
      assertDenied(role, "select rota.return_payload('{1}', '{day}', '{0}', '{1}')");
    }
    for (String role : List.of("operator", "reader", "application")) {
      assertDenied(role, COUNTING);
      assertDenied(role, "update rota.allowance set used = 0");
      assertDenied(role, "insert into rota.pending_count (tenant) values (1)");
      assertDenied(role, "update rota.tenant set quota = true");
    }
  }

  /** A trigger function with the rights of its owner is for the tables of its owner. */
  @ParameterizedTest
  @ValueSource(strings = {"mark_quotas", "kind_pause_changed", "breaker_changed"})
  void noRolePutsTheTriggerOnATableOfItsOwn(String function) throws SQLException {
    String trigger =
        "create temp table tenant (number int); create trigger mine after insert on tenant"
            + " for each row execute function rota.%s()".formatted(function);
    logins.database().execute("grant temp on database %s to public".formatted(database()));
    for (String role : List.of("operator", "reader", "application", "daemon")) {
      assertDenied(role, trigger);
    }
  }

  private String database() {
    return logins.database().name();
  }

  private static long used(Tenant tenant) {
    return catchThrowableOfType(
            QuotaExceededException.class, () -> tenant.enqueueAll(tasks("k", 1)))
        .used();
  }

  private void assertDenied(String role, String sql) {
    assertThatThrownBy(() -> execute(role, sql), role + " must not: " + sql)
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("42501");
  }

  private void execute(String role, String sql) throws SQLException {
    try (Connection connection = logins.connect(role);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
