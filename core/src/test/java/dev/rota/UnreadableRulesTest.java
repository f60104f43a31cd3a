package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.limits.Breaker;
import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tests that a row that SQL wrote into the table of rules stops nothing but itself. */
@RotaTest
@PostgresVersions({15, 18})
class UnreadableRulesTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final String BAD_BREAKER = "0.5 of 20 within 99999999s pause 30s probes 3";

  private final Queue<String> ran = new ConcurrentLinkedQueue<>();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;
  private Controls controls;

  @BeforeEach
  void open() {
    controls = fixture.rota().controls();
  }

  private void insertRowsOfBefore() throws SQLException {
    fixture.execute(
        "alter table rota.rule drop constraint if exists rule_priority_in_range,"
            + " drop constraint if exists rule_breaker_in_range;"
            + "insert into rota.rule (tenant, priority, paused_at, paused_until)"
            + " values (1, 5000, now(), 'infinity');"
            + "insert into rota.rule (kind, breaker) values ('sms', '"
            + BAD_BREAKER
            + "')");
  }

  @Test
  void allOtherRulesHoldAndEachRowIsWarnedOfOnce() throws Exception {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger("dev.rota.limits.internal.UnreadableRules");
    log.start();
    logger.addAppender(log);
    try (Worker worker = start()) {
      insertRowsOfBefore();
      controls.pause(Scope.tenant("other"), "");
      other.enqueue(MAIL);
      acme.enqueue(MAIL);
      Await.until("the tenant that is not paused", () -> worker.statistics().done(), 1);
      assertThat(ran).containsExactly("acme");
      controls.changeLimits(Scope.kind("mail"), limits -> limits.concurrency(3));
      assertThat(controls.rules())
          .extracting(Rule::scope)
          .containsExactlyInAnyOrder(Scope.tenant("other"), Scope.kind("mail"));
      controls.resume(Scope.tenant("other"));
      Await.until("resumed", () -> worker.statistics().done(), 2);
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactlyInAnyOrder(
            "Rota leaves out row 1 of \"rota\".\"rule\" of tenant:acme/priority:5000: priority is"
                + " 5000; it must be -1000 to 1000. Correct or delete this row; all other rules"
                + " hold",
            "Rota leaves out row 2 of \"rota\".\"rule\" of kind:sms: the time of a breaker is"
                + " PT27777H46M39S; it must be 1 ms to 9,999 hours. Correct or delete this row; all"
                + " other rules hold");
  }

  private Worker start() {
    return fixture.rota().worker().handle("mail", task -> ran.add(task.tenant())).start();
  }

  @ParameterizedTest
  @CsvSource({
    "rule_priority_in_range, 'tenant, priority, weight', '1, 1001, null'",
    "rule_priority_in_range, 'tenant, priority, weight', '1, -1001, null'",
    "rule_breaker_in_range, 'kind, breaker', '''k'', ''0.0009 of 1 within 1s pause 1s probes 1'''",
    "rule_breaker_in_range, 'kind, breaker', '''k'', ''1 of 1 within 35996401s pause 1s probes 1'''",
    "rule_breaker_in_range, 'kind, breaker', '''k'', ''1 of 1 within 599941m pause 1s probes 1'''",
    "rule_breaker_in_range, 'kind, breaker', '''k'', ''1 of 1 within 1s pause 35996401s probes 1'''",
    "rule_breaker_in_range, 'kind, breaker', '''k'', ''1 of 1 within 1s pause 35996400001ms probes 1'''",
  })
  @Tag("exhaustive")
  void theTableRefusesWhatCannotBeRead(String constraint, String columns, String values) {
    assertThatThrownBy(
            () ->
                fixture.execute(
                    "insert into rota.rule (%s) values (%s)".formatted(columns, values)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining(constraint);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.001 of 999999 within 9999h pause 599940m probes 999",
        "1 of 1 within 35996400s pause 35996400000ms probes 1"
      })
  @Tag("exhaustive")
  void theTableTakesTheLimitsOfRanges(String breaker) throws SQLException {
    fixture.execute(
        "insert into rota.rule (kind, breaker) values ('mail', '%s')".formatted(breaker));
    fixture.execute(
        "insert into rota.rule (tenant, priority, paused_at, paused_until)"
            + " values (1, -1000, now(), 'infinity'), (1, 1000, now(), 'infinity')");
    assertThat(controls.rules()).hasSize(3);
    assertThat(controls.rules().get(0).limits().breaker()).contains(Breaker.parse(breaker));
  }

  @Test
  void theLargestQuotaIsReadBack() {
    Limits set =
        controls.changeLimits(
            Scope.tenant("acme"),
            limits -> limits.maxPayload(1_000_000_000_000_000_000L, ChronoUnit.DAYS));
    assertThat(controls.rules()).extracting(Rule::limits).containsExactly(set);
  }

  @Test
  void timesWithoutAnEndAreRead() throws SQLException {
    fixture.execute(
        "insert into rota.rule (kind, paused_at, paused_until) values ('mail', now(), '-infinity');"
            + "insert into rota.kind_pause (kind, origin, paused_at, paused_until, reason)"
            + " values ('sms', 'hold', now(), 'infinity', 'by hand')");
    assertThat(controls.rules())
        .singleElement()
        .satisfies(
            rule -> {
              assertThat(rule.scope()).isEqualTo(Scope.kind("sms"));
              assertThat(rule.pause().orElseThrow().until()).isEmpty();
            });
    acme.enqueue(MAIL);
    assertThat(acme.claim(1).tasks()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  @Tag("exhaustive")
  void aRowOfBeforeDoesNotStopTheMigration(int major) throws SQLException {
    try (TestDatabase older = TestDatabase.onVersion(major)) {
      MigratedDatabase.toVersion(older, "39");
      older.execute("insert into rota.rule (kind, breaker) values ('sms', '" + BAD_BREAKER + "')");
      try (Rota rota = Rota.connect(older.jdbcUrl())) {
        rota.admin().migrate();
        rota.controls().pause(Scope.kind("mail"), "", Duration.ofHours(1));
        assertThat(rota.controls().rules())
            .extracting(Rule::scope)
            .containsExactly(Scope.kind("mail"));
      }
    }
  }
}
