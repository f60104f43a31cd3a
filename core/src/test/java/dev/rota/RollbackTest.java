package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a transaction whose rollback failed is not committed when its connection is returned.
 */
@RotaTest
class RollbackTest {

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  private Tenant acme;

  @BeforeEach
  void open() {
    fixture.tenant("acme");
    // Its connections commit by themselves, and get that mode back after each transaction.
    Rota rota =
        RotaBuilder.build(Rota.builder(fixture.database().dataSource()), new FaultObserver(faults));
    acme = fixture.closeLater(rota).tenants().get("acme");
  }

  @AfterEach
  void close() {
    faults.close();
  }

  @Test
  void aConnectionThatCannotRollBackIsCut() throws SQLException {
    faults.after("enqueue").byThisThread().fail("53200");
    ScriptedFault rollback = faults.before("rollback").byThisThread().fail();
    assertThatThrownBy(() -> acme.enqueueAll(Collections.nCopies(3, NewTask.of("k", "{}"))))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.outcomeUnknown()).isFalse());
    assertThat(rollback.isReached()).isTrue();
    assertThat(fixture.number("select count(*) from rota_1.task_init_1")).isZero();

    acme.enqueue(NewTask.of("k", "{}"));
    assertThat(fixture.number("select count(*) from rota_1.task_init_1")).isEqualTo(1);
  }
}
