package dev.rota.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.S3Server;
import dev.rota.daemon.ArchivingDaemon;
import dev.rota.daemon.RotationDaemon;
import dev.rota.erasure.TenantEraser;
import dev.rota.history.HistoryFilter;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.Await;
import dev.rota.testing.Eavesdropper;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that secrets in payloads, errors, the URL and a bucket's credentials do not leak while
 * history is moved. They are in no log, no exception and no receipt.
 */
@Tag("exhaustive")
class HistoryCanaryTest {

  private static final String PASSWORD = "canary-of-the-url";
  private static final String PAYLOAD = "canary-of-the-payload";
  private static final String ERROR = "canary-of-the-error";
  private static final String SECRET_KEY = "canary-of-the-bucket";

  @TempDir Path folder;

  private TestDatabase database;
  private Rota rota;
  private Eavesdropper ear;

  @BeforeEach
  void open() throws Exception {
    database = MigratedDatabase.create();
    String url = database.jdbcUrl().replaceAll("&password=.*", "") + "&password=" + PASSWORD;
    ear = Eavesdropper.listen();
    rota = Rota.connect(url);
    Tenant acme = rota.tenants().register("acme");
    acme.enqueueAll(List.of(NewTask.of("k", PAYLOAD), NewTask.of("k", "{\"at\":\"" + PAYLOAD)));
    try (Batch batch = acme.claim(2)) {
      batch.dead(batch.tasks().get(0), ERROR);
      batch.settle();
    }
    acme.enqueue(NewTask.of("k", PAYLOAD).after(Duration.ofHours(1)));
  }

  @AfterEach
  void close() {
    rota.close();
    ear.close();
    database.close();
  }

  @Test
  void historyTellsNoSecretsInAFolder() throws Exception {
    Path kept = Files.createDirectory(folder.resolve("kept"));
    try (Archive archive = archive(ObjectStore.folder(kept))) {
      archiveAll(archive);
      TenantTransfer transfer = TenantTransfer.over(rota, archive);
      Path export = folder.resolve("export");
      ear.hear(transfer.exportTenant("acme", export).toString());
      ear.hear(transfer.importTenant(export, "copy").toString());
      change(archived(export));
      tell(() -> transfer.importTenant(export, "another"));
      change(archived(kept.resolve("tenant=1")));
      tell(() -> ear.hear(acmesHistory(archive)));
      database.execute("delete from rota.archive where tenant = 1");
      ear.hear(transfer.restoreTenant("acme", RestoreOptions.defaults()).toString());
      TenantEraser eraser = TenantEraser.builder(rota).archive(archive).closing(true).build();
      ear.hear(eraser.erase("acme").toString());
      ear.hear(archive + " " + transfer + " " + eraser);
    }
    assertNothingIsTold();
  }

  @Test
  void aBucketTellsNoSecrets() throws Exception {
    try (S3Server server = new S3Server(Files.createDirectory(folder.resolve("server")))) {
      S3Server.useCredentials("unknown", SECRET_KEY);
      try (ObjectStore store = ObjectStore.bucket(server.settings());
          Archive archive = archive(store);
          RotationDaemon daemon = daemon(archive)) {
        Await.until("the bucket refuses it", () -> daemon.archiveStatistics().failures() > 0);
        ear.hear(store + " " + archive + " " + server.settings());
        tell(() -> ear.hear(find(store)));
      }
    } finally {
      S3Server.useCredentials();
    }
    assertNothingIsTold();
  }

  private String acmesHistory(Archive archive) {
    try (Rota reading = Rota.builder(database.jdbcUrl()).archive(archive).build()) {
      return reading.tenants().get("acme").history().page(HistoryFilter.all()).toString();
    }
  }

  private static String find(ObjectStore store) {
    try {
      return store.find("tenant=1/a").toString();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void archiveAll(Archive archive) throws Exception {
    try (RotationDaemon daemon = daemon(archive)) {
      Await.until(
          "a segment is archived and dropped", () -> daemon.statistics().segments().dropped() > 0);
      ear.hear(daemon + " " + daemon.statistics());
    }
  }

  private RotationDaemon daemon(Archive archive) {
    return ArchivingDaemon.start(rota, archive, Duration.ZERO);
  }

  private Archive archive(ObjectStore store) {
    return Archive.in(store).grace(Duration.ZERO).share(1).build();
  }

  private static Path archived(Path within) throws IOException {
    try (Stream<Path> files = Files.walk(within)) {
      return files.filter(file -> file.toString().endsWith(".parquet")).findFirst().orElseThrow();
    }
  }

  /** Changes a file, so that the next reader finds other content. */
  private static void change(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2]++;
    Files.write(file, bytes);
  }

  private void tell(Runnable action) {
    Throwable refusal = catchThrowable(action::run);
    assertThat(refusal).isNotNull();
    StringWriter trace = new StringWriter();
    refusal.printStackTrace(new PrintWriter(trace));
    ear.hear(trace.toString());
  }

  private void assertNothingIsTold() throws Exception {
    database.texts("select trouble from rota.archive").forEach(said -> ear.hear("" + said));
    database.texts("select e::text from rota.erasure e").forEach(said -> ear.hear("" + said));
    database
        .texts("select application_name || ': ' || query from pg_stat_activity")
        .forEach(said -> ear.hear("" + said));
    assertThat(ear.heard()).hasSizeGreaterThan(50);
    assertThat(ear.tellingOf(PASSWORD, PAYLOAD, ERROR, SECRET_KEY)).isEmpty();
  }
}
