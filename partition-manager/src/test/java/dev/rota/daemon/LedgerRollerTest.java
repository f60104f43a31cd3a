package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests which old segments of the ledger are dropped, and which are needed. */
@RotaTest
class LedgerRollerTest {

  private static final String TURN_OVER = "turn the ledger over";
  private static final String METER = "count the usage";
  private static final String EXAMINE = "look for batches to archive";

  @Given private DaemonFixture fixture;
  @Given private Tenant archived;
  @Given private Tenant other;

  /** Closes a batch in the newest segment, and turns the ledger over. */
  private void fillASegment(Tenant tenant) throws SQLException {
    // A fresh process knows which segment is the newest.
    Tenant there = fixture.another().tenants().get(tenant.name());
    there.enqueueAll(tasks("k", 1));
    there.claim(1).settle();
    age("opened_at");
    ManualDaemon.leading(fixture.rota()).perform(TURN_OVER);
  }

  private void age(String column) throws SQLException {
    fixture.execute(
        "update rota.ledger_segment set %1$s = now() - interval '8 days' where %1$s is not null"
            .formatted(column));
  }

  private void perform(Faults calls, int steps) throws SQLException {
    ManualDaemon.leading(fixture.observed(calls))
        .perform(Collections.nCopies(steps, TURN_OVER).toArray(String[]::new));
  }

  private List<String> segments() throws SQLException {
    return fixture.texts("select seq from rota.ledger_segment order by seq");
  }

  @Test
  @Tag("exhaustive")
  void oneStepExaminesOneSegmentAndTheNextStepTheNextOne() throws SQLException {
    archived.history().changeRetention(policy -> policy.archive(true));
    for (Tenant each : List.of(archived, archived, other)) {
      fillASegment(each);
    }
    age("sealed_at");
    ManualDaemon.leading(fixture.rota()).perform(METER, METER, METER);
    Faults calls = new Faults();
    perform(calls, 1);
    assertThat(calls.count(EXAMINE)).isEqualTo(1);
    assertThat(segments()).containsExactly("1", "2", "3", "4");
    perform(calls, 3);
    assertThat(calls.count(EXAMINE)).isEqualTo(4);
    assertThat(segments()).as("the third step came to it").containsExactly("1", "2", "4");
  }

  @Test
  @Tag("exhaustive")
  void whoseTimesWillBeMissingInTheArchiveIsToldWithTheSetting() throws SQLException {
    archived.history().changeRetention(policy -> policy.archive(true));
    fillASegment(archived);
    fixture.execute(
        """
        do $$ begin
          for i in 3 .. 97 loop
            execute format('create table rota.task_batch_%s (like rota.task_batch_1)', i);
          end loop;
        end $$;
        insert into rota.ledger_segment (seq) select generate_series(3, 97)""");
    age("sealed_at");
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger =
        (Logger) LoggerFactory.getLogger("dev.rota.daemon.internal.retention.LedgerRoller");
    logger.addAppender(log);
    try {
      ManualDaemon.leading(fixture.rota()).perform(METER, TURN_OVER);
    } finally {
      logger.detachAppender(log);
    }
    assertThat(segments()).hasSize(96).doesNotContain("1");
    assertThat(log.list).hasSize(1);
    assertThat(log.list.get(0).getFormattedMessage())
        .contains("segment 1 of tenant 'archived' (", "97 segments", "keepLedger");
  }

  /** Segments that are open for 71 and 73 periods of the ledger; the daemon would wait longer. */
  @Test
  void aSegmentIsSealedBeforeTheLedgerDropsItsTimes() throws SQLException {
    for (Tenant each : List.of(archived, other)) {
      each.history()
          .changeRetention(
              policy -> policy.segmentAge(Duration.ofDays(36_500)).segmentBytes(1L << 40));
      each.enqueueAll(tasks("k", 1));
      each.claim(1).settle();
    }
    archived.history().changeRetention(policy -> policy.archive(true));
    openedBefore(71);
    assertThat(currentSegments()).containsExactly("archived 1", "other 1");
    openedBefore(73);
    assertThat(currentSegments())
        .as("the other one needs no times")
        .containsExactly("archived 2", "other 1");
  }

  private void openedBefore(int periods) throws SQLException {
    Duration age = ManualDaemon.OLD.multipliedBy(periods);
    fixture.execute(
        "update rota.segment set opened_at = now() - interval '%d seconds'"
            .formatted(age.toSeconds()));
    ManualDaemon.leading(fixture.rota())
        .perform("look for due rotations", "open segments of history", "open segments of history");
  }

  private List<String> currentSegments() throws SQLException {
    return fixture.texts("select name || ' ' || current_segment from rota.tenant order by name");
  }
}
