package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import com.jerolba.carpet.CarpetReader;
import dev.rota.Batch;
import dev.rota.FatalTaskException;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.S3Server;
import dev.rota.archive.StoreAround;
import dev.rota.control.Redrive;
import dev.rota.crash.server.SmallDisk;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that segments are archived complete and once, and dropped from the database only then. */
@RotaTest
class ArchiveTest {

  private static final String VIEW =
      "select concat_ws('|', id, batch_id, coalesce(parent_id, -1), attempt, state, kind, payload,"
          + " coalesce(error, '-'), coalesce(key, '-'), priority, worker,"
          + " (extract(epoch from created_at) * 1000000)::bigint,"
          + " (extract(epoch from claimed_at) * 1000000)::bigint,"
          + " (extract(epoch from finished_at) * 1000000)::bigint) from ";
  private static final String FILES =
      "select concat_ws('|', id, batch_id, coalesce(parent_id, -1), attempt, state, kind, payload,"
          + " coalesce(error, '-'), coalesce(key, '-'), priority, worker, epoch_us(created_at),"
          + " epoch_us(claimed_at), epoch_us(finished_at)) from read_parquet('%s')";

  @TempDir private Path folder;
  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  private Archive archive(ObjectStore store) {
    return fixture.closeLater(
        Archive.in(store).grace(Duration.ZERO).share(1).stagingFolder(folder).build());
  }

  private Path kept() throws Exception {
    return Files.createDirectories(folder.resolve("kept"));
  }

  private RotationDaemon daemon(Archive archive, UnaryOperator<RotationDaemon.Builder> settings) {
    return fixture.daemon(builder -> settings.apply(builder.archive(archive).segmentBytes(0)));
  }

  /** Tasks of all outcomes, one of them with everything a task can have. */
  private void work(Tenant tenant, int done) throws Exception {
    tenant.enqueueAll(DaemonFixture.tasks("mail", done));
    tenant.enqueue(
        NewTask.of("mail", "{\"to\": \"ünïcode 'quoted' 🙂\"}").withKey("k").priority(5));
    tenant.enqueue(NewTask.of("dies", "x".repeat(20_000)));
    for (int ended = 0; ended < done + 2; ) {
      try (Batch batch = tenant.claim(1_000)) {
        for (Task task : batch) {
          ended++;
          if (task.kind().equals("dies")) {
            batch.fail(task, new FatalTaskException("no luck"));
          }
        }
        batch.settle();
      }
    }
  }

  private List<String> duck(Path files) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(FILES.formatted(files + "/**/*.parquet"))) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    }
  }

  private boolean isDropped(Tenant tenant, int seq) throws Exception {
    return fixture.text("select to_regclass('" + segment(tenant, seq) + "')").equals("null");
  }

  /** The daemon removes files and folders while the test looks. */
  private List<Path> files(Path within) throws Exception {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        within,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".parquet")) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }
        });
    return found;
  }

  /** An import puts objects beside the archiver, and without its lock. */
  @Test
  @Tag("exhaustive")
  void aPutOfAnotherProcessIsLeftAlone() throws Exception {
    Path tenant = Files.createDirectories(kept().resolve("tenant=9/hour=2030-01-31T08Z"));
    Path present = half(tenant, "seq=1.parquet");
    Path old = half(tenant, "seq=2.parquet");
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    work(acme, 1);
    daemon(archive(ObjectStore.folder(kept())), settings -> settings.keepHistory(Duration.ZERO));
    Await.until("the segment is dropped", () -> isDropped(acme, 1));
    assertThat(present).exists();
    assertThat(old).doesNotExist();
  }

  private static Path half(Path within, String name) throws IOException {
    return Files.writeString(within.resolve(name + "." + UUID.randomUUID() + ".part"), "ha");
  }

  @Test
  @Tag("exhaustive")
  void aSegmentGoesToAFolderAndIsDropped() throws Exception {
    work(acme, 500);
    List<String> before = fixture.texts(VIEW + "rota_1.task_hist_1 where segment = 1");
    RotationDaemon daemon =
        daemon(
            archive(ObjectStore.folder(kept())), settings -> settings.keepHistory(Duration.ZERO));
    Await.until("the segment is dropped", () -> isDropped(acme, 1));
    assertThat(before).hasSizeGreaterThan(500);
    assertThat(duck(kept())).containsExactlyInAnyOrderElementsOf(before);
    String key =
        fixture.text(
            "select 'tenant=1/hour=' || to_char(opened_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24')"
                + " || 'Z/seq=1.parquet' from rota.segment where seq = 1");
    assertThat(fixture.text("select key from rota.archive")).isEqualTo(key);
    assertThat(kept().resolve(key)).exists();
    assertThat(daemon.archiveStatistics().tasks()).isEqualTo(before.size());
    assertThat(daemon.archiveStatistics().bytes()).isEqualTo(Files.size(kept().resolve(key)));
    assertThat(
            fixture.text(
                "select a.rows = s.rows and trouble is null and claimed_from <= claimed_to"
                    + " from rota.archive a join rota.segment s using (tenant, seq)"))
        .isEqualTo("t");
  }

  /** What another reader needs to know of a row. */
  record Row(long id, String state, String kind, String payload, @Nullable String error) {}

  @Test
  @Tag("exhaustive")
  void aSegmentGoesToABucketAndOtherReadersReadIt() throws Exception {
    work(acme, 20);
    List<String> before = fixture.texts(VIEW + "rota_1.task_hist_1 where segment = 1");
    try (S3Server server = new S3Server(Files.createDirectory(folder.resolve("s3")))) {
      RotationDaemon daemon =
          daemon(
              archive(ObjectStore.bucket(server.settings())),
              settings -> settings.keepHistory(Duration.ZERO));
      Await.until("the segment is dropped", () -> isDropped(acme, 1));
      Path file = server.file(fixture.text("select key from rota.archive"));
      assertThat(duck(file.getParent())).containsExactlyInAnyOrderElementsOf(before);
      List<Row> rows = new CarpetReader<>(file.toFile(), Row.class).toList();
      assertThat(rows)
          .extracting(Row::id)
          .containsExactlyInAnyOrderElementsOf(
              before.stream()
                  .map(row -> Long.valueOf(row.substring(0, row.indexOf('|'))))
                  .toList());
      assertThat(rows)
          .filteredOn(row -> row.kind().equals("dies"))
          .allSatisfy(row -> assertThat(row.payload()).hasSize(20_000))
          .allSatisfy(row -> assertThat(row.error()).contains("no luck"));
      daemon.close();
    }
  }

  @Test
  @Tag("exhaustive")
  void policiesDecideWhatIsArchivedAndKept() throws Exception {
    Tenant dropping = fixture.rota().tenants().register("dropping");
    Tenant held = fixture.rota().tenants().register("held");
    dropping.history().changeRetention(policy -> policy.archive(false));
    held.history().changeRetention(policy -> policy.legalHold(true).keepHistory(Duration.ZERO));
    for (Tenant each : List.of(acme, dropping, held)) {
      work(each, 5);
    }
    RotationDaemon daemon =
        daemon(
            archive(ObjectStore.folder(kept())),
            settings -> settings.keepHistory(Duration.ZERO).keepArchive(Duration.ofMinutes(1)));
    Await.until("two are dropped", () -> isDropped(acme, 1) && isDropped(dropping, 1));
    Await.until("the held one is archived", () -> daemon.archiveStatistics().segments(), 2);
    assertThat(fixture.texts("select tenant from rota.archive order by 1"))
        .containsExactly("1", "3");
    assertThat(isDropped(held, 1)).isFalse();

    acme.history().changeRetention(policy -> policy.keepArchive(Duration.ZERO).legalHold(true));
    held.history().changeRetention(policy -> policy.legalHold(false).keepArchive(Duration.ZERO));
    Await.until("the file of the other is gone", () -> daemon.archiveStatistics().deleted(), 1);
    assertThat(isDropped(held, 1)).isTrue();
    assertThat(fixture.texts("select tenant from rota.archive")).containsExactly("1");
    assertThat(files(kept())).hasSize(1);
    acme.history().changeRetention(policy -> policy.legalHold(false));
    Await.until("all files are gone", () -> files(kept()).isEmpty());
    Await.until("and forgotten", () -> fixture.number("select count(*) from rota.archive"), 0);
  }

  /** Both objects are listed together; the hold comes while the first one is being deleted. */
  @Test
  @Tag("exhaustive")
  void aLegalHoldKeepsWhatIsListedForDeletion() throws Exception {
    Tenant other = fixture.rota().tenants().register("other");
    List<Tenant> both = List.of(acme, other);
    for (Tenant each : both) {
      work(each, 5);
    }
    try (RotationDaemon daemon =
        daemon(
            archive(ObjectStore.folder(kept())),
            settings -> settings.keepHistory(Duration.ZERO).keepArchive(Duration.ofMinutes(1)))) {
      Await.until("both are archived", () -> daemon.archiveStatistics().segments(), 2);
      Await.until("both are dropped", () -> isDropped(acme, 1) && isDropped(other, 1));
    }
    AtomicInteger deletes = new AtomicInteger();
    ObjectStore store =
        new StoreAround(ObjectStore.folder(kept())) {
          @Override
          public void delete(String key) throws IOException {
            if (deletes.getAndIncrement() == 0) {
              both.forEach(
                  each -> each.history().changeRetention(policy -> policy.legalHold(true)));
            }
            super.delete(key);
          }
        };
    both.forEach(
        each -> each.history().changeRetention(policy -> policy.keepArchive(Duration.ZERO)));
    Faults calls = new Faults();
    Archive archive = archive(store);
    RotationDaemon daemon =
        fixture.daemon(
            fixture.observed(calls), settings -> settings.archive(archive).segmentBytes(0));
    Await.until("one is deleted", () -> daemon.archiveStatistics().deleted(), 1);
    calls.awaitMore("list expired archive", 2);
    assertThat(deletes).hasValue(1);
    assertThat(files(kept())).hasSize(1);
    both.forEach(each -> each.history().changeRetention(policy -> policy.legalHold(false)));
    Await.until("the other is deleted", () -> files(kept()).isEmpty());
  }

  @Test
  @Tag("exhaustive")
  void whatARedriveChangesIsArchivedAgainWithTheTimesOfBefore() throws Exception {
    work(acme, 5);
    acme.history().changeRetention(policy -> policy.legalHold(true));
    RotationDaemon daemon =
        daemon(
            archive(ObjectStore.folder(kept())), settings -> settings.keepHistory(Duration.ZERO));
    Await.until("it is archived", () -> daemon.archiveStatistics().segments(), 1);
    List<String> before = duck(kept());
    assertThat(before).filteredOn(row -> row.contains("|dead|")).hasSize(1);
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(1);
    fixture.execute("truncate rota.task_batch_1");
    acme.history().changeRetention(policy -> policy.legalHold(false));
    Await.until("it is dropped", () -> isDropped(acme, 1));
    assertThat(daemon.archiveStatistics().segments()).isEqualTo(2);
    assertThat(duck(kept()))
        .containsExactlyInAnyOrderElementsOf(
            before.stream().map(row -> row.replace("|dead|", "|failed|")).toList());
  }

  @Test
  @Tag("exhaustive")
  void anObjectThatSomebodyChangedKeepsItsSegment() throws Exception {
    work(acme, 5);
    acme.history().changeRetention(policy -> policy.legalHold(true));
    RotationDaemon daemon =
        daemon(
            archive(ObjectStore.folder(kept())), settings -> settings.keepHistory(Duration.ZERO));
    Await.until("it is archived", () -> daemon.archiveStatistics().segments(), 1);
    Path file = files(kept()).get(0);
    byte[] right = Files.readAllBytes(file);
    byte[] wrong = right.clone();
    wrong[right.length / 2] ^= 1;
    Files.write(file, wrong);
    acme.history().changeRetention(policy -> policy.legalHold(false));
    Await.until(
        "the trouble is noted",
        () -> fixture.text("select trouble from rota.archive").contains("content has changed"));
    assertThat(fixture.text("select trouble from rota.archive")).contains("nothing was dropped");
    Files.delete(file);
    Await.until(
        "the other one as well",
        () ->
            fixture.text("select trouble from rota.archive").contains("no longer in the archive"));
    assertThat(isDropped(acme, 1)).isFalse();
    assertThat(daemon.archiveStatistics().failures()).isPositive();
    Files.write(file, right);
    Await.until("it is right again", () -> isDropped(acme, 1));
  }

  @Test
  void anotherDatabaseKeepsOut() throws Exception {
    Files.writeString(kept().resolve("_rota_owner"), "11111111-2222-3333-4444-555555555555\n");
    work(acme, 5);
    RotationDaemon daemon =
        daemon(
            archive(ObjectStore.folder(kept())), settings -> settings.keepHistory(Duration.ZERO));
    Await.until(
        "the trouble is noted",
        () -> fixture.text("select trouble from rota.archive").contains("another database"));
    assertThat(files(kept())).isEmpty();
    assertThat(isDropped(acme, 1)).isFalse();
    assertThat(daemon.archiveStatistics().segments()).isZero();
  }

  @Test
  @Tag("exhaustive")
  void aStoreThatFailsIsTriedAgain() throws Exception {
    work(acme, 5);
    Path late = folder.resolve("late");
    RotationDaemon daemon =
        daemon(archive(ObjectStore.folder(late)), settings -> settings.keepHistory(Duration.ZERO));
    Await.until(
        "the trouble is noted",
        () -> fixture.text("select trouble from rota.archive").contains("is not there"));
    assertThat(isDropped(acme, 1)).isFalse();
    Files.createDirectory(late);
    Await.until("it is dropped", () -> isDropped(acme, 1));
    assertThat(fixture.text("select trouble is null from rota.archive")).isEqualTo("t");
    assertThat(daemon.archiveStatistics().failures()).isPositive();
  }

  @Test
  @Tag("exhaustive")
  void theLedgerStaysUntilItsTimesAreArchived() throws Exception {
    work(acme, 5);
    Path late = folder.resolve("late");
    RotationDaemon daemon =
        daemon(
            archive(ObjectStore.folder(late)),
            settings -> settings.keepHistory(Duration.ZERO).keepLedger(Duration.ZERO));
    Await.until(
        "the ledger turns over while the archive is away",
        () -> {
          work(acme, 1);
          return daemon.statistics().segments().ledgerOpened() >= 2;
        });
    assertThat(fixture.text("select to_regclass('rota.task_batch_1')")).isNotEqualTo("null");
    Files.createDirectory(late);
    Await.until("the first segment is dropped", () -> isDropped(acme, 1));
    Await.until(
        "and then the ledger",
        () -> fixture.text("select to_regclass('rota.task_batch_1')").equals("null"));
    assertThat(duck(late))
        .allSatisfy(row -> assertThat(row.chars().filter(c -> c == '|')).hasSize(13));
  }

  @Test
  void smallRowsAreReadTogether() throws Exception {
    Faults calls = new Faults();
    Archive archive = archive(ObjectStore.folder(kept()));
    work(acme, 500);
    RotationDaemon daemon =
        fixture.daemon(
            fixture.observed(calls), builder -> builder.archive(archive).segmentBytes(0));
    Await.until("it is archived", () -> daemon.archiveStatistics().segments(), 1);
    Await.until("its tasks are counted", () -> daemon.archiveStatistics().tasks(), 502);
    assertThat(calls.count("read segment")).isEqualTo(1);
  }

  @Test
  @Tag("exhaustive")
  void largeRowsAreReadInParts() throws Exception {
    acme.enqueueAll(
        IntStream.range(0, 400)
            .mapToObj(i -> NewTask.of("large", Integer.toString(i % 10).repeat(60_000)))
            .toList());
    acme.claim(400).settle();
    Faults calls = new Faults();
    Archive archive = archive(ObjectStore.folder(kept()));
    RotationDaemon daemon =
        fixture.daemon(
            fixture.observed(calls),
            settings -> settings.archive(archive).segmentBytes(0).keepHistory(Duration.ZERO));
    Await.until("it is dropped", () -> isDropped(acme, 1));
    assertThat(daemon.archiveStatistics().tasks()).isEqualTo(400);
    assertThat(calls.count("read segment")).isGreaterThanOrEqualTo(5);
  }

  @Test
  @Tag("exhaustive")
  void aFullStagingFolderKeepsTheSegment() throws Exception {
    work(acme, 5);
    try (SmallDisk disk = SmallDisk.mount(2)) {
      disk.fill();
      Archive archive =
          fixture.closeLater(
              Archive.in(ObjectStore.folder(kept()))
                  .grace(Duration.ZERO)
                  .stagingFolder(disk.directory())
                  .build());
      RotationDaemon daemon = daemon(archive, settings -> settings.keepHistory(Duration.ZERO));
      Await.until(
          "the trouble is noted",
          () -> fixture.text("select trouble from rota.archive").contains("free space"));
      assertThat(isDropped(acme, 1)).isFalse();
      daemon.close();
    }
  }

  @Test
  @Tag("exhaustive")
  void filesOfTenantsThatAreGoneGoToo() throws Exception {
    work(acme, 5);
    acme.history().changeRetention(policy -> policy.legalHold(true));
    RotationDaemon daemon =
        daemon(
            archive(ObjectStore.folder(kept())),
            settings -> settings.keepArchive(Duration.ofMinutes(1)));
    Await.until("it is archived", () -> daemon.archiveStatistics().segments(), 1);
    fixture.execute("drop schema rota_1 cascade");
    fixture.execute("delete from rota.tenant where number = 1");
    Await.until("its file is gone", () -> files(kept()).isEmpty());
    Await.until("and forgotten", () -> fixture.number("select count(*) from rota.archive"), 0);
  }
}
