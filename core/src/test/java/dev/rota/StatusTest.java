package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.admin.DatabaseStatus;
import dev.rota.admin.DatabaseStatus.ArchiveTrouble;
import dev.rota.admin.DatabaseStatus.SetAsideRows;
import dev.rota.admin.TenantStatus;
import dev.rota.admin.TenantStatus.Backlog;
import dev.rota.admin.TenantStatus.Running;
import dev.rota.internal.db.Session.StatementObserver;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@link dev.rota.admin.Admin#status()} says of tenants, their tasks and the daemon. */
@RotaTest
@PostgresVersions({15, 18})
class StatusTest {

  private static final int LEADERS_NAMESPACE = 0x726F7461;
  private static final NewTask MAIL = NewTask.of("mail", "{}");

  @Given private int major;
  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void countsPendingWaitingAndRunning() {
    fixture.rota().tenants().register("idle");
    acme.enqueueAll(Collections.nCopies(10, MAIL));
    acme.enqueue(MAIL.priority(4));
    try (Batch failing = acme.claim(2)) {
      failing.tasks().forEach(task -> failing.fail(task, "no", Duration.ofHours(1)));
      failing.settle();
    }
    try (Batch running = acme.claim(3)) {
      TenantStatus status = tenant(status(), "acme");
      assertThat(status.backlog().estimatedPending()).isEqualTo(9 - running.tasks().size());
      assertThat(status.backlog().estimatedWaiting()).isEqualTo(2);
      assertThat(status.backlog().counted()).isTrue();
      assertThat(status.backlog().oldestPending().orElseThrow())
          .isBetween(Duration.ZERO, Duration.ofMinutes(5));
      assertThat(status.running()).isEqualTo(new Running(running.tasks().size(), 1));
    }
    assertThat(status().parked()).isOne();
    assertThat(tenant(status(), "acme").identity().parked()).isFalse();
    TenantStatus idle = tenant(status(), "idle");
    assertThat(idle.identity().parked()).isTrue();
    assertThat(idle.segment().kept()).isZero();
    assertThat(idle.backlog()).isEqualTo(new Backlog(0, 0, true, Optional.empty()));
    assertThat(idle.running()).isEqualTo(new Running(0, 0));
  }

  @Test
  void namesTheServerTheSchemaAndTheLivingWorkers() {
    DatabaseStatus before = status();
    assertThat(before.server().version()).startsWith(major + ".");
    assertThat(before.server().schemaVersion()).hasValueSatisfying(v -> assertThat(v).isNotBlank());
    assertThat(before.liveWorkers()).isZero();
    acme.enqueue(MAIL);
    try (Batch batch = acme.claim(1)) {
      DatabaseStatus after = status();
      assertThat(after.liveWorkers()).isOne();
      assertThat(after.server().readAt()).isAfterOrEqualTo(before.server().readAt());
      batch.settle();
    }
  }

  @Test
  void summaryIsTheStatusWithoutTenants() throws SQLException {
    acme.enqueue(MAIL);
    try (Connection leader = fixture.database().connect();
        Batch batch = acme.claim(1)) {
      RotaFixture.texts(leader, "select pg_advisory_lock(" + LEADERS_NAMESPACE + ", -1)");
      DatabaseStatus summary = fixture.rota().admin().summary();
      assertThat(summary.tenants()).isEmpty();
      assertThat(summary.leader()).isEqualTo(status().leader()).isPresent();
      assertThat(summary.liveWorkers()).isOne();
      assertThat(summary.troubles()).isEqualTo(status().troubles());
      batch.settle();
    }
  }

  @Test
  void summarySendsEightStatements() {
    Thread own = Thread.currentThread();
    List<String> calls = new ArrayList<>();
    StatementObserver observer =
        new StatementObserver() {
          @Override
          public void before(String call) {
            if (Thread.currentThread() == own) {
              calls.add(call);
            }
          }
        };
    Rota rota = fixture.observed(observer, builder -> builder);
    calls.clear();
    rota.admin().summary();
    assertThat(calls).hasSize(8 + 1).endsWith("commit");
  }

  @Test
  void tellsWhetherADaemonLeads() throws SQLException {
    assertThat(status().leader()).isEmpty();
    try (Connection leader = fixture.database().connect()) {
      RotaFixture.texts(leader, "select set_config('application_name', 'rota daemon', false)");
      RotaFixture.texts(leader, "select pg_advisory_lock(" + LEADERS_NAMESPACE + ", -1)");
      int process = Integer.parseInt(RotaFixture.texts(leader, "select pg_backend_pid()").get(0));
      DatabaseStatus.Leader found = status().leader().orElseThrow();
      assertThat(found.process()).isEqualTo(process);
      assertThat(found.application()).contains("rota daemon");
      assertThat(found.connectedSince().orElseThrow())
          .isBefore(status().server().readAt().plusMillis(1));
    }
  }

  @Test
  void tellsHowRingsAndSegmentsTurn() throws SQLException {
    TenantStatus fresh = tenant(status(), "acme");
    assertThat(fresh.ring().rotatedAt()).isEmpty();
    assertThat(fresh.ring().postponedReason()).isEmpty();
    assertThat(fresh.segment().number()).isOne();
    assertThat(fresh.segment().kept()).isOne();
    fixture.execute(
        """
        update rota.tenant set rotations = 3, lane_rotated_at[0] = '2026-01-02T03:04:05Z',
               postponed = 2, postponed_reason = 'slot 1 is not drained', current_segment = 3;
        update rota.segment set sealed_at = now();
        insert into rota.segment (tenant, seq, opened_at, sealed_at, dropped_at)
        values (1, 2, now(), now(), now()), (1, 3, '2026-01-02T03:00:00Z', null, null)""");
    TenantStatus turned = tenant(status(), "acme");
    assertThat(turned.ring())
        .isEqualTo(
            new TenantStatus.Ring(
                Optional.of(Instant.parse("2026-01-02T03:04:05Z")),
                3,
                2,
                Optional.of("slot 1 is not drained")));
    assertThat(turned.segment())
        .isEqualTo(new TenantStatus.Segment(3, Instant.parse("2026-01-02T03:00:00Z"), 2));
  }

  @Test
  void readsOneTenantAlone() {
    acme.enqueue(MAIL);
    fixture.rota().tenants().register("other").enqueueAll(Collections.nCopies(2, MAIL));
    fixture.rota().tenants().close("other");
    DatabaseStatus status = fixture.rota().admin().status("other");
    assertThat(status.tenants()).hasSize(1);
    TenantStatus other = tenant(status, "other");
    assertThat(other.identity()).isEqualTo(new TenantStatus.Identity(2, "other", true, false));
    assertThat(other.backlog().estimatedPending()).isEqualTo(2);
  }

  @Test
  void refusesNamesOfNoTenant() {
    for (String name : new String[] {"nobody", "", "a\0b", "x' or '1'='1"}) {
      assertThatExceptionOfType(UnknownTenantException.class)
          .isThrownBy(() -> fixture.rota().admin().status(name));
    }
  }

  /** Neither the sizes nor the numbers of other tenants wait for the lock. */
  @Test
  void estimatesWhereATableIsLocked() throws SQLException {
    acme.enqueue(MAIL);
    fixture.rota().tenants().register("other").enqueue(MAIL);
    try (Connection locking = fixture.database().connect();
        Statement statement = locking.createStatement()) {
      locking.setAutoCommit(false);
      statement.execute("lock table rota_1.task_init_1_0 in access exclusive mode");
      DatabaseStatus status = status();
      assertThat(tenant(status, "acme").backlog().counted()).isFalse();
      assertThat(tenant(status, "acme").backlog().oldestPending()).isEmpty();
      assertThat(tenant(status, "other").backlog().counted()).isTrue();
      assertThat(tenant(status, "other").backlog().estimatedPending()).isOne();
    }
  }

  @Test
  void countsRowsWithOddTimes() throws SQLException {
    fixture.execute(
        """
        insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)
        values (41, 'infinity', 0, 'k', 'p'), (42, null, 0, 'k', 'p'),
               (43, '0001-01-01', 0, 'k', 'p')""");
    Backlog backlog = tenant(status(), "acme").backlog();
    assertThat(backlog.estimatedPending()).isEqualTo(3);
    assertThat(backlog.oldestPending().orElseThrow()).isGreaterThan(Duration.ofDays(2_000 * 365));
  }

  @Test
  void tellsWhatWasSetAside() throws SQLException {
    fixture.execute(
        "insert into rota.set_aside (tenant, reason, rows, last_id, last_at)"
            + " values (1, 'set aside, never run: its id is null', 2, 7, '2026-01-02T03:04:05Z')");
    SetAsideRows rows =
        new SetAsideRows(
            "acme",
            2,
            7,
            Instant.parse("2026-01-02T03:04:05Z"),
            "set aside, never run: its id is null");
    assertThat(status().troubles().setAside()).containsExactly(rows);
  }

  @Test
  void tellsWhatHindersTheArchiveAlsoOfTenantsThatAreGone() throws SQLException {
    fixture.execute(
        """
        insert into rota.archive (tenant, seq, opened_at, sealed_at, key, begun_at, trouble)
        values (1, 4, now(), now(), 'k', now(), 'no space'),
               (7, 2, now(), now(), 'l', now() + interval '1 hour', 'no answer');
        insert into rota.erasure (tenant, name, finished_at, trouble)
        values (8, 'gone', now(), 'away')""");
    assertThat(status().troubles().archive())
        .containsExactly(
            new ArchiveTrouble(1, "segment 4 of tenant 'acme'", "no space"),
            new ArchiveTrouble(7, "segment 2 of tenant 7, which is gone", "no answer"),
            new ArchiveTrouble(8, "late objects of erased tenant 'gone' (8)", "away"));
    assertThat(fixture.rota().admin().status("acme").troubles().archive())
        .extracting(ArchiveTrouble::toString)
        .containsExactly("segment 4 of tenant 'acme': no space");
  }

  @Test
  void needsTheSchemaAndAnOpenRota() throws SQLException {
    fixture.execute("drop table rota.segment cascade");
    assertThatExceptionOfType(SchemaMissingException.class).isThrownBy(this::status);
    fixture.rota().close();
    assertThatExceptionOfType(RotaClosedException.class).isThrownBy(this::status);
  }

  private DatabaseStatus status() {
    return fixture.rota().admin().status();
  }

  private static TenantStatus tenant(DatabaseStatus status, String name) {
    return status.tenants().stream()
        .filter(tenant -> tenant.identity().name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
