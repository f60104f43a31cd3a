package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.FaultyRelay;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.S3Server;
import dev.rota.archive.StoreAround;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.archive.internal.store.S3Store;
import dev.rota.crash.server.SmallDisk;
import dev.rota.history.HistoryFilter;
import dev.rota.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;

/** Tests failures of the archive: nothing is dropped before its file is right. */
@RotaTest
@Tag("exhaustive")
class ArchiveTroubleTest {

  private static final String TROUBLE = "select trouble from rota.archive where tenant = 1";
  private static final Duration BRIEF = Duration.ofMillis(300);

  @TempDir private Path folder;
  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  private Archive archive(ObjectStore store, Path staging) {
    return fixture.closeLater(
        Archive.in(store).grace(Duration.ZERO).share(1).stagingFolder(staging).build());
  }

  private RotationDaemon daemon(ObjectStore store) {
    return daemon(archive(store, folder));
  }

  private RotationDaemon daemon(Archive archive) {
    return fixture.daemon(
        settings -> settings.archive(archive).segmentBytes(0).keepHistory(Duration.ZERO));
  }

  private ObjectStore folderStore() throws IOException {
    return ObjectStore.folder(Files.createDirectories(folder.resolve("kept")));
  }

  private List<Long> work(int tasks) {
    return work(DaemonFixture.tasks("mail", tasks));
  }

  private List<Long> work(List<NewTask> tasks) {
    List<Long> ids = acme.enqueueAll(tasks);
    for (int ended = 0; ended < ids.size(); ) {
      try (Batch batch = acme.claim(ids.size())) {
        ended += batch.tasks().size();
        batch.settle();
      }
    }
    return ids;
  }

  private boolean isDropped() throws Exception {
    return fixture.text("select to_regclass('" + segment(acme, 1) + "')").equals("null");
  }

  private void awaitTrouble(String words) throws Exception {
    Await.until("the trouble is noted: " + words, () -> fixture.text(TROUBLE).contains(words));
  }

  /** Nothing is hot any more, and the archive holds each task once. */
  private void assertArchived(List<Long> ids, Archive archive) throws Exception {
    Await.until("the segment is dropped", this::isDropped);
    Rota reading = fixture.another(builder -> builder.archive(archive));
    assertThat(
            reading
                .tenants()
                .get("acme")
                .history()
                .page(HistoryFilter.all().limit(1_000))
                .attempts())
        .extracting(attempt -> attempt.taskId())
        .containsExactlyInAnyOrderElementsOf(ids);
    assertThat(fixture.text("select trouble is null from rota.archive")).isEqualTo("t");
  }

  @Test
  void aBucketThatFallsSilentAndIsCutDropsNothing() throws Exception {
    List<Long> ids = work(20);
    try (S3Server server = new S3Server(Files.createDirectory(folder.resolve("s3")));
        FaultyRelay relay = new FaultyRelay(server.port())) {
      Archive archive =
          archive(
              new S3Store(
                  S3Server.settings(relay.port()),
                  S3Store.MOST_AT_ONCE,
                  client ->
                      client.httpClientBuilder(
                          UrlConnectionHttpClient.builder().socketTimeout(BRIEF))),
              folder);
      relay.fallSilent();
      RotationDaemon daemon = daemon(archive);
      awaitTrouble("no complete answer came (Read timed out); check endpoint and network");
      relay.answer(1_000, "503 Service Unavailable", "<Error><Code>SlowDown</Code></Error>");
      awaitTrouble("it is tried again later");
      assertThat(isDropped()).isFalse();
      relay.heal();
      assertArchived(ids, archive);
      assertThat(daemon.archiveStatistics().failures()).isGreaterThanOrEqualTo(2);
      daemon.close();
    }
  }

  /** First where the archiver puts, and then where it looks once more before it drops. */
  @Test
  void aBucketThatIsNotOursToUseDropsNothing() throws Exception {
    List<Long> ids = work(20);
    acme.history().changeRetention(policy -> policy.legalHold(true));
    Path s3 = Files.createDirectory(folder.resolve("s3"));
    try (S3Server server = new S3Server(s3);
        FaultyRelay relay = new FaultyRelay(server.port())) {
      Archive archive = archive(ObjectStore.bucket(S3Server.settings(relay.port())), folder);
      S3Server.useCredentials("rota-test", "wrong");
      RotationDaemon daemon = daemon(archive);
      awaitTrouble("the store refuses these credentials, or the clock of this machine is wrong");
      Path bucket = s3.resolve(S3Server.BUCKET);
      Path elsewhere = Files.move(bucket, folder.resolve("elsewhere"));
      S3Server.useCredentials();
      awaitTrouble("the bucket does not exist; create it, or correct its name");
      Files.move(elsewhere, bucket);
      Await.until("it is archived", () -> daemon.archiveStatistics().segments(), 1);

      S3Server.useCredentials("rota-test", "wrong");
      acme.history().changeRetention(policy -> policy.legalHold(false));
      awaitTrouble("the secret access key is wrong");
      relay.answer(1_000, "403 Forbidden", "<Error><Code>RequestTimeTooSkewed</Code></Error>");
      relay.cutAfter(0);
      S3Server.useCredentials();
      awaitTrouble("the clock of this machine differs too much from that of the store");
      assertThat(isDropped()).isFalse();
      relay.heal();
      assertArchived(ids, archive);
      daemon.close();
    } finally {
      S3Server.useCredentials();
    }
  }

  @Test
  void answersThatComeLateAndSlowlyAreWaitedFor() throws Exception {
    List<Long> ids = work(20);
    try (S3Server server = new S3Server(Files.createDirectory(folder.resolve("s3")));
        FaultyRelay relay = new FaultyRelay(server.port())) {
      Archive archive = archive(ObjectStore.bucket(S3Server.settings(relay.port())), folder);
      relay.holdAnswers();
      RotationDaemon daemon = daemon(archive);
      relay.awaitHeld();
      assertThat(isDropped()).isFalse();
      relay.answerInDrops();
      assertArchived(ids, archive);
      assertThat(daemon.archiveStatistics().failures()).isZero();
      daemon.close();
    }
  }

  @Test
  void anObjectOfABucketThatSomebodyChangedKeepsItsSegment() throws Exception {
    List<Long> ids = work(20);
    acme.history().changeRetention(policy -> policy.legalHold(true));
    try (S3Server server = new S3Server(Files.createDirectory(folder.resolve("s3")))) {
      Archive archive = archive(ObjectStore.bucket(server.settings()), folder);
      RotationDaemon daemon = daemon(archive);
      Await.until("it is archived", () -> daemon.archiveStatistics().segments(), 1);
      String key = fixture.text("select key from rota.archive");
      Path right = Files.copy(server.file(key), folder.resolve("right"));
      byte[] wrong = Files.readAllBytes(right);
      wrong[wrong.length / 2] ^= 1;
      archive.store().put(key, Files.write(folder.resolve("wrong"), wrong));
      acme.history().changeRetention(policy -> policy.legalHold(false));
      awaitTrouble("its content has changed");
      archive.store().delete(key);
      awaitTrouble("it is no longer in the archive; nothing was dropped");
      assertThat(isDropped()).isFalse();
      archive.store().put(key, right);
      Await.until("it is dropped", this::isDropped);
      assertThat(daemon.archiveStatistics().segments()).isEqualTo(1);
      assertArchived(ids, archive);
      daemon.close();
    }
  }

  @Test
  void whatIsReadBackDifferentlyIsPutAgain() throws Exception {
    List<Long> ids = work(20);
    AtomicBoolean damaged = new AtomicBoolean();
    Archive archive =
        archive(
            new StoreAround(folderStore()) {
              @Override
              public void put(String key, Path file) throws IOException {
                super.put(key, key.endsWith(".parquet") && !damaged.get() ? half(file) : file);
              }
            },
            folder);
    RotationDaemon daemon = daemon(archive);
    awaitTrouble("the object that was read back differs; it is put again later");
    assertThat(isDropped()).isFalse();
    assertThat(daemon.archiveStatistics().segments()).isZero();
    damaged.set(true);
    assertArchived(ids, archive);
  }

  private Path half(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    return Files.write(folder.resolve("half"), Arrays.copyOf(bytes, bytes.length / 2));
  }

  @Test
  void aDiskThatFillsWhileASegmentIsSortedKeepsIt() throws Exception {
    Random random = new Random(1);
    List<Long> ids =
        work(
            IntStream.range(0, 400)
                .mapToObj(
                    i -> {
                      byte[] noise = new byte[24_000];
                      random.nextBytes(noise);
                      return NewTask.of("large", HexFormat.of().formatHex(noise));
                    })
                .toList());
    try (SmallDisk disk = SmallDisk.mount(4)) {
      Archive small = archive(folderStore(), disk.directory());
      RotationDaemon daemon = daemon(small);
      awaitTrouble("check the free space of the folder for temporary files");
      assertThat(isDropped()).isFalse();
      daemon.close();
      try (Stream<Path> left = Files.list(disk.directory())) {
        assertThat(left).as("what is left on the full disk").isEmpty();
      }
    }
    Archive roomy = archive(folderStore(), folder);
    daemon(roomy);
    assertArchived(ids, roomy);
  }

  /** One loses its lock while it puts; the other one is done long before it goes on. */
  @Test
  void anArchiverThatLostItsLockPutsTheSameObjectAgain() throws Exception {
    List<Long> ids = work(20);
    CountDownLatch putting = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    RotationDaemon slow =
        daemon(
            new StoreAround(folderStore()) {
              @Override
              public void put(String key, Path file) throws IOException {
                boolean segment = key.endsWith(".parquet");
                if (segment) {
                  putting.countDown();
                  pass(goOn);
                }
                super.put(key, file);
                if (segment) {
                  done.countDown();
                }
              }
            });
    pass(putting);
    fixture.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity"
            + " where datname = current_database() and pid <> pg_backend_pid()");
    Archive other = archive(folderStore(), Files.createDirectory(folder.resolve("other")));
    RotationDaemon quick = daemon(other);
    Await.until("the other one drops it", this::isDropped);
    String entry = fixture.text("select a::text from rota.archive a");
    goOn.countDown();
    pass(done);
    slow.close();
    assertThat(slow.archiveStatistics().segments()).isZero();
    assertThat(quick.archiveStatistics().segments()).isEqualTo(1);
    assertThat(fixture.texts("select a::text from rota.archive a")).containsExactly(entry);
    Path object = folder.resolve("kept").resolve(fixture.text("select key from rota.archive"));
    assertThat(Digest.of(object)).isEqualTo(fixture.text("select sha256 from rota.archive"));
    assertArchived(ids, other);
  }

  private static void pass(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
