package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.PayloadQuota;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests how processes lease bytes of payloads, what they cost, and when a period is over. */
@RotaTest
@PostgresVersions({15, 18})
class PayloadQuotaTest {

  private static final int BYTES = 100_000;
  private static final int CHUNK = BYTES / 100;
  private static final int PROCESSES = 4;
  private static final Scope ACME = Scope.tenant("acme");
  private static final NewTask TASK = NewTask.of("k", "x".repeat(100));
  private static final NewTask ALL = NewTask.of("k", "x".repeat(60_000));

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  private Controls controls;

  @BeforeEach
  void set() {
    controls = fixture.rota().controls();
    allow(BYTES);
  }

  @Test
  void aProcessLeasesAHundredthAtATime() throws SQLException {
    Faults faults = new Faults();
    Tenant watched = fixture.observed(faults).tenants().get("acme");
    for (int i = 0; i < 10; i++) {
      watched.enqueue(TASK);
    }
    assertThat(faults.count("lease payload")).isOne();
    assertThat(used()).isEqualTo(CHUNK);
    watched.enqueue(ALL);
    assertThat(used()).isEqualTo(CHUNK + 60_000);
    fixture.execute("select rota.enqueue('acme', 'k', '1')");
    assertThat(used()).as("a function leases nothing").isEqualTo(CHUNK + 60_001);
  }

  @Test
  void othersHaveTheStatementsOfBefore() {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    controls.changeLimits(Scope.plan("busy"), limits -> limits.maxPending(100));
    for (Tenant tenant : rota.tenants().registerAll(List.of("free", "busy"))) {
      controls.changePlan(tenant.name(), tenant.name());
      tenant.enqueue(TASK);
      tenant.enqueueAll(List.of(TASK, TASK));
    }
    assertThat(faults.count("lease payload")).isZero();
    rota.tenants().get("acme").enqueue(TASK);
    assertThat(faults.count("lease payload")).isOne();
    assertThat(faults.count("look for room")).isLessThanOrEqualTo(2);
  }

  @Test
  void aProcessGivesBackWhatIsLeftWhenItCloses() throws SQLException {
    try (Rota another = fixture.another()) {
      another.tenants().get("acme").enqueue(TASK);
      assertThat(used()).isEqualTo(CHUNK);
    }
    assertThat(used()).isEqualTo(100);
    try (Rota another = fixture.another()) {
      another.tenants().get("acme").enqueue(TASK);
      moveTo("began_at + interval '1 month', used = 50");
    }
    assertThat(used()).as("of another month").isEqualTo(50);
  }

  /** It is never closed before the test ends. */
  @Test
  void aKilledProcessLosesAChunkAtMost() throws SQLException {
    fixture.another().tenants().get("acme").enqueue(TASK);
    assertThat(used()).isEqualTo(CHUNK);
    NewTask rest = NewTask.of("k", "x".repeat(BYTES - CHUNK - 60_000));
    acme.enqueue(ALL);
    acme.enqueue(rest);
    assertRefused(NewTask.of("k", "1"));
    assertThat(used()).isEqualTo(BYTES);
  }

  @Test
  void aProcessThatDiesBehindTheLeaseLosesAChunkAtMost() throws SQLException {
    Faults faults = new Faults();
    Tenant dying = fixture.observed(faults).tenants().get("acme");
    faults.before("enqueue").times(1).fail();
    assertThatExceptionOfType(DatabaseException.class).isThrownBy(() -> dying.enqueue(TASK));
    assertThat(used()).isEqualTo(CHUNK);
    for (int i = 0; i < 10; i++) {
      dying.enqueue(TASK);
    }
    assertThat(used()).as("what failed went back").isEqualTo(CHUNK);
  }

  @Test
  void nothingIsStoredIfNothingCanBeLeased() throws SQLException {
    Faults faults = new Faults();
    Tenant troubled = fixture.observed(faults).tenants().get("acme");
    for (UnaryOperator<Tenant> enqueue :
        List.<UnaryOperator<Tenant>>of(
            tenant -> stored(tenant, tenant.enqueue(TASK)),
            tenant -> stored(tenant, tenant.enqueueAll(List.of(TASK)).get(0)))) {
      faults.before("lease payload").times(1).fail();
      assertThatExceptionOfType(DatabaseException.class).isThrownBy(() -> enqueue.apply(troubled));
    }
    assertThat(fixture.number("select count(*) from rota_1.task_init_1")).isZero();
    assertThat(fixture.number("select count(*) from rota.allowance")).isZero();
  }

  private static Tenant stored(Tenant tenant, long id) {
    assertThat(id).isPositive();
    return tenant;
  }

  @Test
  void thereIsRoomAgainInTheNextPeriod() throws SQLException {
    fill();
    assertRefused(TASK);
    moveTo("began_at - interval '1 month'");
    acme.enqueue(TASK);
    assertThat(used()).isEqualTo(CHUNK);
    assertThat(
            fixture.number(
                "select count(*) from rota.allowance"
                    + " where began_at = date_trunc('month', now(), 'UTC')"))
        .isOne();
  }

  /** As behind a failover to a server whose clock is late. */
  @Test
  void aFormerPeriodDoesNotComeBack() throws SQLException {
    fill();
    moveTo("began_at + interval '1 month'");
    assertRefused(TASK);
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(() -> fixture.execute("select rota.enqueue('acme', 'k', '1')"));
  }

  @Test
  void rulesChangeAtRunTime() throws SQLException {
    Tenant elsewhere = fixture.another().tenants().get("acme");
    fill();
    allow(2 * BYTES);
    elsewhere.enqueue(ALL);
    acme.enqueue(NewTask.of("k", "x".repeat(30_000)));
    assertRefused(ALL);
    controls.changeLimits(ACME, limits -> limits.maxPayload(BYTES, ChronoUnit.DAYS));
    acme.enqueue(TASK);
    assertThat(used()).as("of the day").isEqualTo(CHUNK);
    controls.changeLimits(ACME, Limits::maxPayloadByDefault);
    acme.enqueueAll(List.of(ALL, ALL));
    controls.changeLimits(
        Scope.plan("free"), limits -> limits.maxPayload(CHUNK, ChronoUnit.MONTHS));
    controls.changePlan("acme", "free");
    assertRefused(ALL);
    Await.until("the other process knows it", () -> isRefused(elsewhere, ALL));
    // Its own quota replaces that of its plan, with the period.
    controls.changeLimits(ACME, limits -> limits.maxPayload(BYTES, ChronoUnit.DAYS));
    acme.enqueue(ALL);
    controls.changePlan("acme", "default");
    controls.changeLimits(ACME, limits -> Limits.none());
    acme.enqueueAll(List.of(ALL, ALL));
    assertThat(fixture.number("select count(*) from rota.tenant where payload_quota")).isZero();
  }

  @Test
  void aTenantThatIsRegisteredLaterHasTheQuotaOfItsPlan() throws SQLException {
    controls.changeLimits(Scope.plan("default"), limits -> limits.maxPayload(1, ChronoUnit.HOURS));
    Tenant late = fixture.rota().tenants().register("late");
    assertThat(isRefused(late, TASK)).isTrue();
    fixture.execute("delete from rota.rule");
    Await.until("the quota is gone", () -> !isRefused(late, TASK));
  }

  @Test
  @Tag("exhaustive")
  void noProcessPassesItAtFullSpeedOnAnyPath() throws SQLException {
    AtomicLong stored = new AtomicLong();
    List<CompletableFuture<Void>> producers = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      Tenant tenant = fixture.another().tenants().get("acme");
      Connection connection = fixture.begin();
      producers.add(InBackground.run(() -> produce(tenant, connection, stored)));
      producers.add(InBackground.run(() -> produce(tenant, null, stored)));
    }
    producers.forEach(CompletableFuture::join);
    long bytes =
        fixture.number("select coalesce(sum(octet_length(payload)), 0) from rota_1.task_init_1");
    assertThat(bytes).isEqualTo(stored.get());
    assertThat(bytes).isBetween((long) BYTES - PROCESSES * CHUNK, (long) BYTES);
    assertThat(used()).isLessThanOrEqualTo(BYTES);
  }

  /** Enqueues tasks of 1 to 50 bytes until one of a byte is refused. */
  private static void produce(Tenant tenant, Connection connection, AtomicLong stored) {
    for (int size = 50; size > 0; ) {
      NewTask task = NewTask.of("k", "x".repeat(size));
      try {
        if (connection == null) {
          stored.addAndGet(2L * size);
          tenant.enqueueAll(List.of(task, task));
        } else {
          stored.addAndGet(4L * size);
          enqueueInSteps(tenant, connection, task);
        }
      } catch (QuotaExceededException | SQLException e) {
        stored.addAndGet(connection == null ? -2L * size : -4L * size);
        rollBack(connection);
        size--;
      }
    }
  }

  private static void enqueueInSteps(Tenant tenant, Connection connection, NewTask task)
      throws SQLException {
    tenant.enqueueAll(connection, List.of(task, task, task));
    RotaFixture.execute(connection, "select rota.enqueue('acme', 'k', '" + task.payload() + "')");
    connection.commit();
  }

  private static void rollBack(Connection connection) {
    if (connection != null) {
      try {
        connection.rollback();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void aQuotaHasRangesAndAForm() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.none().maxPayload(0, ChronoUnit.DAYS))
        .withMessageContaining("maxPayload is 0 bytes; it must be 1 to 1000000000000000000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.none().maxPayload(1, ChronoUnit.WEEKS))
        .withMessage("the period of maxPayload is Weeks; it must be HOURS, DAYS or MONTHS");
    for (String text : List.of("1/hour", "8191/month", "64kB/day", "500MB/hour", "1GB/day")) {
      assertThat(PayloadQuota.parse(text)).hasToString(text);
    }
    assertThat(PayloadQuota.parse("1024TB/day").bytes()).isEqualTo(1L << 50);
    for (String text : List.of("", "1GB", "0/day", "1gb/day", "999999TB/day", "1GB/week")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> PayloadQuota.parse(text))
          .withMessageContaining("maxPayload is");
    }
    for (Scope scope : List.of(Scope.everything(), Scope.kind("k"), ACME.ofKind("k"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> controls.changeLimits(scope, limits -> limits.maxPayload(1, ChronoUnit.DAYS)))
          .withMessageContaining("takes no weight, tier or quota");
    }
  }

  private void fill() {
    acme.enqueue(ALL);
    acme.enqueue(NewTask.of("k", "x".repeat(BYTES - 60_000)));
  }

  private void moveTo(String time) throws SQLException {
    fixture.execute("update rota.allowance set began_at = " + time);
  }

  private long used() throws SQLException {
    return fixture.number("select used from rota.allowance where tenant = 1");
  }

  private void assertRefused(NewTask task) {
    assertThat(isRefused(acme, task)).isTrue();
  }

  private static boolean isRefused(Tenant tenant, NewTask task) {
    try {
      tenant.enqueue(task);
      return false;
    } catch (QuotaExceededException e) {
      assertThat(e.limit()).isEqualTo("maxPayload");
      return true;
    }
  }

  private void allow(long bytes) {
    controls.changeLimits(ACME, limits -> limits.maxPayload(bytes, ChronoUnit.MONTHS));
  }
}
