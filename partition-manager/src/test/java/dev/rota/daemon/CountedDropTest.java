package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a segment that is summed in several ranges before it is dropped, and changes in any of
 * them.
 */
@RotaTest
@Tag("exhaustive")
class CountedDropTest {

  private static final int ROWS = 30_000;
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  @TempDir private Path folder;
  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  @Test
  void nobodyChangesWhatIsAddedUpAlready() throws Exception {
    acme.enqueueAll(DaemonFixture.tasks("k", 2));
    try (Batch batch = acme.claim(2)) {
      batch.dead(batch.tasks().get(0), "no luck");
      batch.settle();
    }
    fill();
    List<String> outcomes = new CopyOnWriteArrayList<>();
    Faults faults = new Faults();
    faults.after("sum up segment").always().run(() -> outcomes.add(redrive()));
    Archive archive =
        fixture.closeLater(
            Archive.in(ObjectStore.folder(folder)).grace(Duration.ZERO).share(1).build());
    RotationDaemon daemon =
        fixture.daemon(
            fixture.observed(faults),
            settings -> settings.archive(archive).segmentBytes(0).keepHistory(Duration.ZERO));
    awaitDrop();
    assertThat(outcomes).hasSizeGreaterThan(1).containsOnly(LOCK_NOT_AVAILABLE);
    assertThat(daemon.archiveStatistics().segments()).isEqualTo(1);
    assertThat(fixture.text("select rows from rota.segment where seq = 1"))
        .isEqualTo(String.valueOf(ROWS + 2));
  }

  @Test
  void whatIsRewrittenIsAddedUpAnew() throws Exception {
    int rows = fillAndThinOut();
    fixture.daemon(
        fixture.observed(rewriting("lock segment", 1)),
        settings -> settings.segmentBytes(0).keepHistory(Duration.ZERO));
    awaitDrop();
    assertThat(fixture.text("select rows from rota.segment where seq = 1"))
        .isEqualTo(String.valueOf(rows));
  }

  @Test
  void whatIsRewrittenIsArchivedAnew() throws Exception {
    int rows = fillAndThinOut();
    Archive archive =
        fixture.closeLater(
            Archive.in(ObjectStore.folder(folder)).grace(Duration.ZERO).share(1).build());
    RotationDaemon daemon =
        fixture.daemon(
            fixture.observed(rewriting("divide segment", 2)),
            settings -> settings.archive(archive).segmentBytes(0).keepHistory(Duration.ofHours(1)));
    Await.until("the segment is archived", () -> daemon.archiveStatistics().segments(), 1);
    assertThat(fixture.text("select rows from rota.archive where seq = 1"))
        .isEqualTo(String.valueOf(rows));
    assertThat(daemon.archiveStatistics().failures()).isEqualTo(1);
  }

  /** Runs a dead task again, by whose row the archiver has come already. */
  private String redrive() throws SQLException {
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("set lock_timeout = '50 ms'");
      return statement.executeUpdate(
              "update " + segment(acme, 1) + " set state = 2 where state = 3")
          + " changed";
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }

  /** The segment is rewritten before one of several calls of one name. */
  private Faults rewriting(String call, int which) {
    Faults faults = new Faults();
    faults.before(call).from(which).run(() -> fixture.execute("vacuum full " + segment(acme, 1)));
    return faults;
  }

  /** Leaves room in front of rows, into which a rewrite moves them; returns how many there are. */
  private int fillAndThinOut() throws SQLException {
    acme.enqueueAll(DaemonFixture.tasks("k", 1));
    acme.claim(1).settle();
    fill();
    fixture.execute("delete from %s where ctid < '(1000,0)'::tid".formatted(segment(acme, 1)));
    return Math.toIntExact(fixture.number("select count(*) from " + segment(acme, 1)));
  }

  private void awaitDrop() throws Exception {
    Await.until(
        "the segment is dropped",
        () ->
            fixture
                .text("select dropped_at is not null from rota.segment where seq = 1")
                .equals("t"));
  }

  /** Five rows a block, as claims would not make them so fast. */
  private void fill() throws SQLException {
    fixture.execute(
        "insert into %1$s select id, batch_id, created_at, parent_id, finished_at, attempt, state, kind"
                .formatted(segment(acme, 1))
            + ", repeat('x', 1500), error from (select * from %1$s where state = 0) s,"
                .formatted(segment(acme, 1))
            + " generate_series(1, %d)".formatted(ROWS));
  }
}
