package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which old segments of the ledger are dropped, step by step. */
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
}
