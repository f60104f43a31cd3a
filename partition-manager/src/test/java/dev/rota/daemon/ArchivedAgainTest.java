package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.StoreAround;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a segment that is archived a second time. The ledger no longer has its batches, so that
 * only the first object has their times.
 */
@RotaTest
@Tag("exhaustive")
class ArchivedAgainTest {

  private static final int TASKS = 5;
  private static final String TIMES =
      "select id || ' ' || worker || ' ' || epoch_us(claimed_at) || ' ' || epoch_us(finished_at)"
          + " from read_parquet('%s')";

  @TempDir private Path folder;
  @Given private DaemonFixture fixture;

  private Tenant worked(String name) {
    Tenant tenant = fixture.rota().tenants().register(name);
    tenant.history().changeRetention(policy -> policy.legalHold(true));
    tenant.enqueueAll(DaemonFixture.tasks("mail", TASKS));
    tenant.claim(TASKS).settle();
    return tenant;
  }

  private ObjectStore folderStore() throws IOException {
    return ObjectStore.folder(Files.createDirectories(folder.resolve("kept")));
  }

  private RotationDaemon daemon(ObjectStore store) {
    Archive archive =
        fixture.closeLater(
            Archive.in(store).grace(Duration.ZERO).share(1).stagingFolder(folder).build());
    return fixture.daemon(settings -> settings.archive(archive).segmentBytes(0));
  }

  private Path object(Tenant tenant) throws Exception {
    String key = fixture.text("select key from rota.archive where tenant = " + tenant.number());
    return folder.resolve("kept").resolve(key);
  }

  private void archiveAgain(Tenant tenant, String changes) throws Exception {
    fixture.execute(
        "update rota.archive set archived_at = null%s where tenant = %d"
            .formatted(changes, tenant.number()));
  }

  private String trouble(Tenant tenant) throws Exception {
    return fixture.text("select trouble from rota.archive where tenant = " + tenant.number());
  }

  private static void awaitArchived(RotationDaemon daemon, int segments) throws Exception {
    Await.until("archived: " + segments, () -> daemon.archiveStatistics().segments(), segments);
  }

  /** Null for each attempt whose times are not known. */
  private static List<String> times(Path file) throws Exception {
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement();
        ResultSet rows = statement.executeQuery(TIMES.formatted(file))) {
      List<String> times = new ArrayList<>();
      while (rows.next()) {
        times.add(String.valueOf(rows.getString(1)));
      }
      return times;
    }
  }

  @Test
  void anObjectIsReplacedWithItsTimesOrNotAtAll() throws Exception {
    Tenant acme = worked("acme");
    AtomicBoolean away = new AtomicBoolean();
    RotationDaemon daemon =
        daemon(
            new StoreAround(folderStore()) {
              @Override
              public void fetch(String key, Path file) throws IOException {
                if (away.get() && key.endsWith(".parquet")) {
                  throw new IOException("the store is away");
                }
                super.fetch(key, file);
              }

              @Override
              public Optional<Path> local(String key) {
                return Optional.empty();
              }
            });
    awaitArchived(daemon, 1);
    List<String> times = times(object(acme));
    assertThat(times).hasSize(TASKS).doesNotContain("null");
    fixture.execute("truncate rota.task_batch_1");

    // As a killed archiver leaves it, which had not noted yet what it put.
    archiveAgain(acme, ", sha256 = null");
    awaitArchived(daemon, 2);
    archiveAgain(acme, ", sha256 = repeat('0', 64)");
    awaitArchived(daemon, 3);
    assertThat(times(object(acme))).isEqualTo(times);
    assertThat(trouble(acme)).isEqualTo("null");

    byte[] right = Files.readAllBytes(object(acme));
    away.set(true);
    archiveAgain(acme, "");
    Await.until("the trouble is noted", () -> trouble(acme).contains("the store is away"));
    assertThat(Files.readAllBytes(object(acme))).isEqualTo(right);
    away.set(false);
    awaitArchived(daemon, 4);
    assertThat(times(object(acme))).isEqualTo(times);

    String digest = Digest.of(object(acme));
    Files.writeString(object(acme), "what DuckDB cannot read");
    archiveAgain(acme, ", sha256 = '" + Digest.of(object(acme)) + "'");
    Await.until(
        "it is noted", () -> trouble(acme).contains("it is not replaced without them: DuckDB"));
    assertThat(object(acme)).hasContent("what DuckDB cannot read");
    Files.write(object(acme), right);
    archiveAgain(acme, ", sha256 = '" + digest + "'");
    awaitArchived(daemon, 5);
    assertThat(times(object(acme))).isEqualTo(times);
    assertThat(trouble(acme)).isEqualTo("null");
  }

  @Test
  void whatIsLostWithAnObjectIsTold() throws Exception {
    Tenant changed = worked("changed");
    Tenant gone = worked("gone");
    RotationDaemon daemon = daemon(folderStore());
    awaitArchived(daemon, 2);
    List<String> times = times(object(gone));
    Files.delete(object(gone));
    archiveAgain(gone, "");
    awaitArchived(daemon, 3);
    assertThat(times(object(gone))).as("the ledger still knows all").isEqualTo(times);
    assertThat(trouble(gone)).isEqualTo("null");

    fixture.execute("truncate rota.task_batch_1");
    byte[] bytes = Files.readAllBytes(object(changed));
    bytes[bytes.length / 2] ^= 1;
    Files.write(object(changed), bytes);
    archiveAgain(changed, "");
    Files.delete(object(gone));
    archiveAgain(gone, "");
    awaitArchived(daemon, 5);
    String words =
        "archived again without worker and times of 5 attempts, which the ledger no longer has";
    assertThat(trouble(changed)).contains(words, "was changed after it was archived");
    assertThat(trouble(gone)).contains(words, "was no longer in the archive");
    assertThat(times(object(changed))).hasSize(TASKS).containsOnly("null");
  }
}
