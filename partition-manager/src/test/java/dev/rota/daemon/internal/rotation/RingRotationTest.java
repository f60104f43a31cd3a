package dev.rota.daemon.internal.rotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the statements of a ring switch that run while the slot is locked. */
@RotaTest
class RingRotationTest {

  private static final BoundStatement<List<Boolean>> SLEEP =
      BoundStatement.query(new Sql("sleep", "select pg_sleep(60)::text"), row -> true);

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  private Kernel kernel;
  private RingRotation rotation;

  @BeforeEach
  void create() {
    kernel = DefaultRota.kernelOf(fixture.rota());
    rotation = new RingRotation(kernel.tables());
  }

  private int rotate(Session session) throws SQLException {
    return rotation.run(session, kernel.tables().tenant(acme.number()), 0);
  }

  @Test
  void noStatementUnderTheLockTakesLong() throws Exception {
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(
            () ->
                kernel
                    .database()
                    .tryTransaction(
                        "rotate the ring",
                        session -> {
                          assertThat(rotate(session)).isOne();
                          return session.run(SLEEP);
                        }))
        .matches(SqlErrors::isCanceled);
    assertThat(fixture.number("select lane_slots[0] from rota.tenant")).isZero();
    assertThat(kernel.database().tryTransaction("rotate the ring", this::rotate)).isOne();
    assertThat(fixture.number("select lane_slots[0] from rota.tenant")).isOne();
  }
}
