package dev.rota.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.TenantClosedException;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.S3Server;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.TenantEraser;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryFilter;
import dev.rota.testing.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the history of a tenant is restored from the files of its archive alone. */
@RotaTest
class RestoreTest {

  private static final String MANIFEST =
      "select (to_jsonb(a) - 'begun_at' - 'archived_at')::text from rota.archive a"
          + " where archived_at is not null order by tenant, seq";

  private static final RestoreOptions TAKING_OVER = RestoreOptions.defaults().takingOver();

  @TempDir private Path folder;
  @Given private TransferFixture lost;
  @Given private TransferFixture fresh;
  private Archive archive;

  @BeforeEach
  void open() throws Exception {
    fresh.execute("update rota.archive_owner set id = gen_random_uuid()");
    archive = fresh.archive(ObjectStore.folder(lost.kept()));
    lost.withArchive("acme");
  }

  private RestoreReport restore(RestoreOptions options) {
    return TenantTransfer.over(fresh.rota(), archive).restoreTenant("acme", options);
  }

  private List<String> keys() throws SQLException {
    return lost.texts("select key from rota.archive order by seq");
  }

  private void assertSameHistory(TransferFixture database, Archive from) {
    try (Rota reading = Rota.builder(database.database().jdbcUrl()).archive(from).build();
        Rota old = Rota.builder(lost.database().jdbcUrl()).archive(lost.archive()).build()) {
      Tenant back = reading.tenants().get("acme");
      for (HistoryCounts.Dimension by : HistoryCounts.Dimension.values()) {
        assertThat(back.history().count(HistoryFilter.all(), by).counts())
            .isEqualTo(old.tenants().get("acme").history().count(HistoryFilter.all(), by).counts())
            .isNotEmpty();
      }
    }
  }

  @Test
  @Tag("exhaustive")
  void itComesBackIntoANewDatabase() throws Exception {
    List<String> manifest = lost.texts(MANIFEST);
    int files = manifest.size();
    assertThat(files).isGreaterThan(1);
    assertRefused("acme", RestoreOptions.defaults(), "belongs to another database");
    List<String> before = fresh.registry();
    RestoreReport looked = restore(TAKING_OVER.dryRun());
    assertThat(looked.restored().files()).isEqualTo(files);
    assertThat(fresh.registry()).isEqualTo(before);
    assertThat(owner()).isEqualTo(lost.texts("select id from rota.archive_owner").get(0));

    RestoreReport report = restore(TAKING_OVER);
    assertThat(report.complete()).isTrue();
    assertThat(report.restored().number()).isEqualTo(1);
    assertThat(report.restored().count("archived")).isEqualTo(60);
    assertThat(fresh.texts(MANIFEST)).isEqualTo(manifest);
    assertSameHistory(fresh, archive);

    Tenant back = fresh.rota().tenants().get("acme");
    assertThat(back.history().retention().legalHold()).isTrue();
    assertThatThrownBy(() -> back.enqueue(NewTask.of("k", "{}")))
        .isInstanceOf(TenantClosedException.class);
    fresh.rota().tenants().reopen("acme");
    long last = Long.parseLong(lost.texts("select max(id_to) from rota.archive").get(0));
    assertThat(back.enqueue(NewTask.of("k", "{}"))).isGreaterThan(last);
    assertThat(fresh.texts("select max(seq) > %d from rota.segment".formatted(files)))
        .containsExactly("t");
    assertThat(fresh.rota().tenants().register("next").number()).isEqualTo(2);

    RestoreReport again = restore(RestoreOptions.defaults());
    assertThat(again.restored().files()).isZero();
    assertThat(again.known()).isEqualTo(files);
    assertThat(again.complete()).isTrue();
    assertThat(fresh.staging()).isEmptyDirectory();
  }

  @Test
  @Tag("exhaustive")
  void aManifestThatWasLostComesBackAsItWas() throws Exception {
    List<String> manifest = lost.texts(MANIFEST);
    List<String> segments = lost.texts("select s::text from rota.segment s order by 1");
    lost.execute("delete from rota.archive");
    assertThat(
            TenantTransfer.over(lost.rota(), lost.archive())
                .restoreTenant("acme", RestoreOptions.defaults())
                .complete())
        .isTrue();
    assertThat(lost.texts(MANIFEST)).isEqualTo(manifest);
    assertThat(lost.texts("select s::text from rota.segment s order by 1")).isEqualTo(segments);
    assertThat(lost.texts("select legal_hold or closed from rota.tenant")).containsExactly("f");
  }

  @Test
  @Tag("exhaustive")
  void aTenantWithAnotherNumberGetsItsFilesAndLosesThemWhenItIsErased() throws Exception {
    fresh.execute("alter table rota.tenant alter number restart with 5");
    Tenant here = fresh.rota().tenants().register("acme");
    assertThatThrownBy(() -> restore(TAKING_OVER))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("no files of tenant 'acme' under number 5");
    RestoreReport report = restore(TAKING_OVER.withNumber(1));
    assertThat(report.problems()).isEmpty();
    assertThat(report.restored().number()).isEqualTo(here.number());
    assertSameHistory(fresh, archive);
    TransferFixture.run(here, "new", 3);
    assertThat(here.history().scanStates().values().stream().mapToLong(Long::longValue).sum())
        .isPositive();

    assertThatThrownBy(
            () ->
                TenantTransfer.over(fresh.rota(), archive)
                    .restoreTenant("another", RestoreOptions.defaults().withNumber(1)))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("belong to tenant 'acme' here");
    ErasureReceipt receipt =
        TenantEraser.builder(fresh.rota()).archive(archive).closing(true).build().erase("acme");
    assertThat(receipt.archivedRows()).isEqualTo(60);
    try (ObjectStore store = ObjectStore.folder(lost.kept())) {
      assertThat(store.list("tenant=")).isEmpty();
    }
  }

  @Test
  @Tag("exhaustive")
  void segmentsThatTheDatabaseHasAreNotTakenForOthers() throws Exception {
    Tenant here = fresh.rota().tenants().register("acme");
    TransferFixture.run(here, "before", 5);
    RestoreReport report = restore(TAKING_OVER);
    assertThat(report.problems())
        .extracting(RestoreReport.Problem::key)
        .containsExactly(keys().get(0));
    assertThat(report.problems().get(0).reason()).contains("in this database with other attempts");
    assertThat(report.restored().files()).isEqualTo(keys().size() - 1);
    TransferFixture.run(here, "after", 5);
    assertThat(fresh.texts("select count(*) from rota_1.task_hist_1")).containsExactly("10");
  }

  /** Each file by itself: the crash suite breaks each call of one, here the second file fails. */
  @Test
  @Tag("exhaustive")
  void itGoesOnAfterAFault() throws Exception {
    List<String> manifest = lost.texts(MANIFEST);
    Faults faults = new Faults();
    faults.before("note restored file").from(2).fail("57014");
    try (Rota rota = fresh.archiving(faults)) {
      TenantTransfer transfer = TenantTransfer.over(rota, archive);
      assertThatThrownBy(() -> transfer.restoreTenant("acme", TAKING_OVER))
          .isInstanceOf(RotaException.class)
          .hasStackTraceContaining("before note restored file");
      RestoreReport rest = transfer.restoreTenant("acme", TAKING_OVER);
      assertThat(rest.complete()).isTrue();
      assertThat(rest.known()).isEqualTo(1);
      assertThat(rest.restored().files()).isEqualTo(manifest.size() - 1);
    }
    assertThat(fresh.texts(MANIFEST)).isEqualTo(manifest);
    assertThat(fresh.texts("select name from rota.tenant")).containsExactly("acme");
  }

  @Test
  void twoAtOnceDoItOnce() throws Exception {
    List<String> manifest = lost.texts(MANIFEST);
    try (Rota other = fresh.archiving()) {
      CompletableFuture<RestoreReport> beside =
          CompletableFuture.supplyAsync(
              () -> TenantTransfer.over(other, archive).restoreTenant("acme", TAKING_OVER));
      RestoreReport own = restore(TAKING_OVER);
      RestoreReport others = beside.get(1, TimeUnit.MINUTES);
      assertThat(own.problems()).isEmpty();
      assertThat(others.problems()).isEmpty();
      assertThat(own.restored().files() + others.restored().files()).isEqualTo(manifest.size());
      assertThat(own.known() + others.known()).isEqualTo(manifest.size());
    }
    assertThat(fresh.texts(MANIFEST)).isEqualTo(manifest);
  }

  @Test
  @Tag("exhaustive")
  void itComesOutOfABucket() throws Exception {
    List<String> manifest = lost.texts(MANIFEST);
    try (S3Server server = new S3Server(folder.resolve("server"));
        Archive bucket = fresh.archive(ObjectStore.bucket(server.settings()))) {
      for (String key : keys()) {
        bucket.store().put(key, lost.kept().resolve(key));
      }
      Path cut = server.file(keys().get(1));
      Files.write(cut, new byte[] {'P', 'A', 'R', '1'});
      TenantTransfer transfer = TenantTransfer.over(fresh.rota(), bucket);
      RestoreReport report =
          transfer.restoreTenant("acme", RestoreOptions.defaults().withNumber(1));
      assertThat(report.problems())
          .extracting(RestoreReport.Problem::key)
          .containsExactly(keys().get(1));
      bucket.store().put(keys().get(1), lost.kept().resolve(keys().get(1)));
      assertThat(transfer.restoreTenant("acme", RestoreOptions.defaults()).complete()).isTrue();
      assertThat(fresh.texts(MANIFEST)).isEqualTo(manifest);
      assertSameHistory(fresh, bucket);
    }
  }

  @Test
  void whatCannotBeRightIsRefused() throws Exception {
    assertRefused("acme", RestoreOptions.defaults().withNumber(9), "no files of tenant 'acme'");
    assertRefused("nobody", RestoreOptions.defaults(), "no tenant is named 'nobody'");
    assertThatThrownBy(() -> TenantTransfer.over(fresh.rota()).restoreTenant("acme", TAKING_OVER))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("say where the archive is");
    fresh.rota().tenants().register("somebody");
    assertRefused("somebody", TAKING_OVER, "that was named 'acme', not 'somebody'");
    assertRefused("acme", TAKING_OVER, "belong to tenant 'somebody' here");
    fresh.execute("update rota.tenant set importing = true");
    assertRefused("somebody", TAKING_OVER, "is being imported");
    fresh.execute("delete from rota.tenant");
    fresh.execute("insert into rota.erasure (tenant, name) values (1, 'gone')");
    assertRefused("acme", TAKING_OVER, "tenant 'gone' with number 1 was erased");
    assertThat(fresh.texts(MANIFEST)).isEmpty();
  }

  private void assertRefused(String tenant, RestoreOptions options, String reason)
      throws Exception {
    List<String> before = fresh.registry();
    String owner = owner();
    assertThatThrownBy(
            () -> TenantTransfer.over(fresh.rota(), archive).restoreTenant(tenant, options))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining(reason);
    assertThat(fresh.registry()).isEqualTo(before);
    assertThat(owner()).isEqualTo(owner);
  }

  /** As it stands in the archive. */
  private String owner() throws IOException {
    return Files.readString(lost.kept().resolve("_rota_owner")).strip();
  }

  /** What was looked at before may have changed when it counts. */
  @Test
  void whoGetsANumberOfTheArchiveMeanwhileIsSeen() throws Exception {
    List<String> before = new ArrayList<>();
    Faults faults = new Faults();
    faults
        .before("hold tenants")
        .run(
            () -> {
              fresh.rota().tenants().register("somebody");
              before.addAll(fresh.registry());
            });
    try (Rota rota = fresh.archiving(faults)) {
      assertThatThrownBy(
              () -> TenantTransfer.over(rota, archive).restoreTenant("acme", TAKING_OVER))
          .isInstanceOf(TransferException.class)
          .hasMessageContaining("files under number 1, which is that of tenant 'somebody'");
    }
    assertThat(fresh.registry()).isEqualTo(before).isNotEmpty();
    assertThat(owner()).isEqualTo(lost.texts("select id from rota.archive_owner").get(0));
  }

  @Test
  void whoIsErasedMeanwhileIsNotRegisteredAgain() throws Exception {
    assertThat(restore(TAKING_OVER).complete()).isTrue();
    fresh.execute("update rota.tenant set legal_hold = false");
    Faults faults = new Faults();
    faults
        .before("act as keeper")
        .run(
            () -> {
              fresh.execute("delete from rota.tenant");
            });
    try (Rota rota = fresh.archiving(faults)) {
      assertThatThrownBy(
              () -> TenantTransfer.over(rota, archive).restoreTenant("acme", TAKING_OVER))
          .isInstanceOf(TransferException.class)
          .hasMessageContaining("was registered or erased at this moment");
    }
    assertThat(fresh.texts("select name from rota.tenant")).isEmpty();
  }

  @Test
  @Tag("exhaustive")
  void filesOfOthersAreNotOverwrittenByOneThatTakesOver() throws Exception {
    try (ObjectStore store = ObjectStore.folder(lost.kept())) {
      store.put("tenant=3/hour=2030-01-31T08Z/seq=1.parquet", lost.kept().resolve(keys().get(0)));
    }
    fresh.execute("alter table rota.tenant alter number restart with 3");
    fresh.rota().tenants().register("third");
    RestoreOptions first = TAKING_OVER.withNumber(1);
    assertRefused("acme", first, "files under number 3, which is that of tenant 'third'");
    fresh.execute("delete from rota.tenant");
    assertThat(restore(first).complete()).isTrue();
    assertThat(fresh.rota().tenants().register("later").number()).isGreaterThan(3);
  }
}
