package dev.rota.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.DatabaseException;
import dev.rota.Given;
import dev.rota.PostgresVersions;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests what becomes of hourly statistics that cannot be written, or that are in doubt. */
@RotaTest
@PostgresVersions({15, 18})
class UnwrittenStatisticsTest {

  private static final String ADD = "add statistics";
  private static final String LOOK_UP = "look up a transaction";

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  private Kernel kernel;
  private StatisticsWriter writer;

  @BeforeEach
  void open() {
    kernel = DefaultRota.kernelOf(fixture.observed(faults));
    writer = new StatisticsWriter(kernel.database(), kernel.tables());
  }

  @Test
  void sumsOfOneHourAddUpUntilTheyAreWritten() throws SQLException {
    int tries = 5;
    faults.before(ADD).times(tries).fail("42501");
    for (int i = 0; i < tries; i++) {
      writer.add(List.of(one(1)));
      assertThatThrownBy(writer::write).isInstanceOf(DatabaseException.class);
    }
    writer.write();
    assertThat(faults.count(ADD)).isEqualTo(tries + 1);
    assertThat(writer.unwritten()).isZero();
    assertThat(written()).isEqualTo(tries);
  }

  @Test
  void whatIsTooMuchIsLeftOutAndToldOnce() throws SQLException {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(StatisticsRecorder.class);
    logger.addAppender(log);
    fixture.execute("alter table rota.statistic rename to lost");
    try {
      List<HourKey> rows = new ArrayList<>();
      for (int hour = 0; hour < StatisticsWriter.MOST_ROWS + 3; hour++) {
        rows.add(one(hour));
      }
      writer.add(rows);
      writer.add(List.of(one(0)));
      assertThat(writer.unwritten()).isEqualTo(StatisticsWriter.MOST_ROWS + 1);
      assertThat(writer.leftOut()).isEqualTo(3);
      new StatisticsRecorder(writer, kernel.timer(), true).close();
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .filteredOn(text -> text.contains("leaves out"))
        .hasSize(1);
  }

  @Test
  void aPortionInDoubtBlocksNoOther() throws SQLException {
    leaveInDoubt(one(1));
    ScriptedFault unknown = faults.before(LOOK_UP).always().fail("42501");
    writer.add(List.of(one(2), one(2)));
    assertThatThrownBy(writer::write).hasMessageContaining("42501");
    assertThat(written()).isEqualTo(2);
    assertThat(writer.unwritten()).isEqualTo(1);
    unknown.stop();
    writer.write();
    assertThat(written()).isEqualTo(3);
  }

  @Test
  void anEarlierServerThanTheTransactionHasNotWrittenIt() throws SQLException {
    leaveInDoubt(one(1));
    faults.before(LOOK_UP).fail(stateOfAFutureTransaction());
    writer.write();
    assertThat(writer.unwritten()).isZero();
    assertThat(written()).isEqualTo(1);
  }

  private void leaveInDoubt(HourKey row) throws SQLException {
    faults.before("commit").inTransactionOf(ADD).fail();
    writer.add(List.of(row));
    assertThatThrownBy(writer::write).isInstanceOf(DatabaseException.class);
    assertThat(written()).isZero();
  }

  private String stateOfAFutureTransaction() {
    try {
      return "accepted: " + fixture.texts("select pg_xact_status('4611686018427390000'::xid8)");
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }

  private long written() throws SQLException {
    return fixture.number("select coalesce(sum(done), 0) from rota.statistic");
  }

  /** One attempt that was done, in that hour since 1970. */
  private HourKey one(int hour) {
    HourKey.Counts done = new HourKey.Counts(1, 0, 0, 0);
    HourKey.Times time = new HourKey.Times(1, 1, new Histogram());
    return new HourKey(new HourKey.Key(acme.number(), hour, "k"), done, time, time);
  }
}
