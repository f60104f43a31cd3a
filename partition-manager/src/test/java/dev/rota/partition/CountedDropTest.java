package dev.rota.partition;

import static dev.rota.partition.DaemonFixture.await;
import static dev.rota.partition.DaemonFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.internal.db.CallObserver;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A segment is added up in several ranges before it is dropped, in any of which it may change. */
class CountedDropTest {

  private static final int ROWS = 30_000;
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  @TempDir private Path folder;
  private DaemonFixture fixture;
  private Tenant acme;

  @BeforeEach
  void open() {
    fixture = new DaemonFixture();
    acme = fixture.rota().tenants().register("acme");
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  /** Runs a dead task again, by whose row the archiver has come already. */
  private final class Redriver implements CallObserver {
    private final List<String> outcomes = new CopyOnWriteArrayList<>();

    @Override
    public void after(String call) throws SQLException {
      if (call.equals("sum up segment")) {
        outcomes.add(redrive());
      }
    }

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
  }

  @Test
  void nobodyChangesWhatIsAddedUpAlready() throws Exception {
    acme.enqueueAll(DaemonFixture.tasks("k", 2));
    try (Batch batch = acme.claim(2)) {
      batch.kill(batch.tasks().get(0), "no luck");
      batch.settle();
    }
    // Five rows a block, as claims would not make them so fast.
    fixture.execute(
        "insert into %1$s select id, batch_id, created_at, parent_id, finished_at, attempt, state, kind"
                .formatted(segment(acme, 1))
            + ", repeat('x', 1500), error from (select * from %1$s where state = 0) s,"
                .formatted(segment(acme, 1))
            + " generate_series(1, %d)".formatted(ROWS));
    Redriver redriver = new Redriver();
    Archive archive =
        fixture.closeLater(
            Archive.in(ObjectStore.folder(folder)).grace(Duration.ZERO).share(1).build());
    RotationDaemon daemon =
        fixture.daemon(
            fixture.observed(redriver, builder -> builder),
            settings -> settings.archive(archive).segmentBytes(0).keepHistory(Duration.ZERO));
    await(
        "the segment is dropped",
        () ->
            fixture
                .text("select dropped_at is not null from rota.segment where seq = 1")
                .equals("t"));
    assertThat(redriver.outcomes).hasSizeGreaterThan(1).containsOnly(LOCK_NOT_AVAILABLE);
    assertThat(daemon.archiveStatistics().segments()).isEqualTo(1);
    assertThat(fixture.text("select rows from rota.segment where seq = 1"))
        .isEqualTo(String.valueOf(ROWS + 2));
  }
}
