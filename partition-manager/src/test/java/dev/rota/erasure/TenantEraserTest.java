package dev.rota.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.DatabaseException;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.RotaException;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.TenantExistsException;
import dev.rota.UnknownTenantException;
import dev.rota.Worker;
import dev.rota.archive.Archive;
import dev.rota.archive.ForeignHistory;
import dev.rota.archive.ObjectStore;
import dev.rota.daemon.RotationDaemon;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests erasures, refusals, and their effects on other tenants and sessions. */
@RotaTest
@PostgresVersions({15, 18})
class TenantEraserTest {

  @TempDir private Path folder;
  @Given private ErasureFixture fixture;
  private Archive archive;

  @BeforeEach
  void open() {
    archive = fixture.closeLater(fixture.archive());
  }

  private TenantEraser.Builder eraser() {
    return TenantEraser.builder(fixture.rota()).archive(archive).patience(Duration.ofSeconds(20));
  }

  @Test
  @Tag("exhaustive")
  void everythingOfOneTenantIsErasedAndNothingOfAnother() throws Exception {
    fixture.furnish("acme", "other");
    List<String> others = fixture.belongings(2);
    List<String> belongings = fixture.belongings(1);
    ErasureReceipt receipt = eraser().build().erase("acme");
    assertThat(fixture.leftOf(1)).isEmpty();
    assertThat(fixture.belongings(2)).isEqualTo(others);
    assertThat(Belongings.of(receipt)).isEqualTo(belongings);
    assertThat(receipt.rows()).isGreaterThan(8);
    assertThat(receipt.archivedRows()).isEqualTo(5);
    assertThat(receipt.parts())
        .extracting(ErasureReceipt.Part::name)
        .contains(
            "rota.tenant",
            "rota.segment",
            "rota.schedule",
            "rota.statistic",
            "rota.tenant_error",
            "rota.rule",
            "rota.assignment_pool",
            "rota.archive",
            "rota.task_batch");
    assertThat(receipt.parts())
        .filteredOn(part -> part.kind() == ErasureReceipt.Kind.OBJECT)
        .allSatisfy(part -> assertThat(part.sha256().orElseThrow()).hasSize(64))
        .allSatisfy(part -> assertThat(part.bytes()).isPresent());
    assertThat(fixture.texts("select error from rota.error_statistic order by error"))
        .containsExactly("all", "only 2");
    assertThat(fixture.rota().tenants().find("acme")).isEmpty();
    assertThat(fixture.text("select receipt from rota.erasure")).isEqualTo(receipt.json());
  }

  @Test
  @Tag("exhaustive")
  void theUseOfAQuotaOfPayloadsGoesWithIt() throws Exception {
    fixture.furnish("acme", "other");
    fixture
        .rota()
        .controls()
        .changeLimits(
            Scope.plan(Controls.DEFAULT_PLAN), limits -> limits.maxPayload(9, ChronoUnit.MONTHS));
    for (String name : List.of("acme", "other")) {
      fixture.rota().tenants().reopen(name).enqueue(NewTask.of("k", "{}"));
    }
    fixture.rota().tenants().close("acme");
    ErasureReceipt unused = eraser().build().erase("acme");
    assertThat(fixture.texts("select tenant from rota.allowance")).containsExactly("2");
  }

  @Test
  void aReceiptIsKeptAndTellsWhenItWasChanged() throws Exception {
    fixture.closedTenant("acme");
    ErasureReceipt receipt = eraserWithoutArchive().erase("acme");
    assertThat(eraser().build().erase("acme")).isEqualTo(receipt);
    assertThat(fixture.text("select receipt from rota.erasure")).isEqualTo(receipt.json());
    assertThat(ErasureReceipt.parse(receipt.json() + "\n")).isEqualTo(receipt);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ErasureReceipt.parse(receipt.json().replace("\"acme\"", "\"acne\"")))
        .withMessageContaining("changed");
    assertThatIllegalArgumentException().isThrownBy(() -> ErasureReceipt.parse("{}"));
  }

  @Test
  @Tag("exhaustive")
  void whatMustNotBeErasedIsRefused() throws Exception {
    fixture.furnish("acme");
    List<String> before = fixture.belongings(1);
    Tenant acme = fixture.rota().tenants().reopen("acme");
    assertRefused(eraser(), "'acme' (1)", "open");
    fixture.rota().tenants().close("acme");
    acme.history().changeRetention(policy -> policy.legalHold(true));
    assertRefused(eraser(), "'acme' (1)", "legal hold");
    assertRefused(eraser().closing(true), "'acme' (1)", "legal hold");
    acme.history().changeRetention(policy -> policy.legalHold(false));
    assertRefused(TenantEraser.builder(fixture.rota()), "1 files in the archive");
    Path copies = Files.createDirectory(folder.resolve("copies"));
    ForeignHistory foreign = ForeignHistory.in(fixture.rota(), archive, copies, copies);
    foreign.attach(acme);
    assertRefused(eraser(), "attached", "detach");
    foreign.detach(acme);
    assertThat(fixture.texts("select * from rota.erasure")).isEmpty();
    assertThat(fixture.belongings(1)).isEqualTo(before);
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(() -> eraser().build().erase("nobody"))
        .withMessageContaining("'nobody'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> eraser().patience(Duration.ofSeconds(-1)));
    eraser().build().erase("acme");
    assertThat(fixture.leftOf(1)).isEmpty();
  }

  @Test
  void theArchiveOfAnotherDatabaseIsNotTouched() throws Exception {
    fixture.closedTenant("acme");
    Path strange = Files.createDirectory(folder.resolve("strange"));
    Path file = Files.createDirectories(strange.resolve("tenant=1/hour=x")).resolve("y.parquet");
    Files.writeString(file, "not ours");
    try (Archive other = ErasureFixture.archive(ObjectStore.folder(strange))) {
      assertRefused(eraser().archive(other), "never used");
      Files.writeString(strange.resolve("_rota_owner"), "somebody else");
      assertRefused(eraser().archive(other), "belongs to database somebody else");
    }
    assertThat(file).exists();
    assertThat(fixture.text("select count(*) from rota.tenant")).isEqualTo("1");
  }

  @Test
  void anOpenTenantIsClosedIfAsked() throws Exception {
    fixture.rota().tenants().register("acme");
    ErasureReceipt receipt =
        TenantEraser.builder(fixture.rota()).closing(true).build().erase("acme");
    assertThat(fixture.leftOf(1)).isEmpty();
    assertThat(receipt.rows()).isZero();
  }

  @Test
  void filesThatNobodyKnewGoToo() throws Exception {
    fixture.closedTenant("acme");
    fixture.ownArchive();
    Path unknown = fixture.kept().resolve("tenant=1/hour=2030-01-31T08Z/seq=99.parquet");
    Files.createDirectories(unknown.getParent());
    Files.writeString(unknown, "left over");
    Path neighbour = fixture.kept().resolve("tenant=11/hour=2030-01-31T08Z/seq=1.parquet");
    Files.createDirectories(neighbour.getParent());
    Files.writeString(neighbour, "of another one");
    ErasureReceipt receipt = eraser().build().erase("acme");
    assertThat(unknown).doesNotExist();
    assertThat(neighbour).exists();
    assertThat(receipt.parts())
        .filteredOn(part -> part.name().endsWith("seq=99.parquet"))
        .allSatisfy(part -> assertThat(part.bytes()).hasValue(9))
        .hasSize(1);
  }

  @Test
  void whoHoldsABatchLosesItAndNothingElse() throws Exception {
    Tenant acme = fixture.rota().tenants().register("acme");
    acme.enqueueAll(List.of(NewTask.of("k", "{}"), NewTask.of("k", "{}")));
    try (Batch batch = acme.claim(2)) {
      batch.fail(batch.tasks().get(0), new IllegalStateException("again"));
      fixture.rota().tenants().close("acme");
      ErasureReceipt receipt = eraserWithoutArchive().erase("acme");
      assertThat(receipt.rows()).isEqualTo(2);
      assertThat(batch.settle()).isEqualTo(new SettleResult(0, 2));
    }
    assertThat(fixture.leftOf(1)).isEmpty();
    assertThatExceptionOfType(RotaException.class)
        .isThrownBy(() -> acme.claim(1))
        .withMessageContaining("acme");
  }

  @Test
  @Tag("exhaustive")
  void workersOfOthersRunOn() throws Exception {
    List<Tenant> tenants = fixture.rota().tenants().registerAll(List.of("acme", "other"));
    AtomicLong ran = new AtomicLong();
    try (RotationDaemon daemon =
            RotationDaemon.builder(fixture.rota()).tick(Duration.ofMillis(10)).start();
        Worker worker =
            fixture
                .rota()
                .worker()
                .handle(
                    "k",
                    task -> {
                      LockSupport.parkNanos(100_000);
                      ran.incrementAndGet();
                    })
                .start()) {
      for (int round = 0; round < 20; round++) {
        for (Tenant tenant : tenants) {
          tenant.enqueueAll(Collections.nCopies(50, NewTask.of("k", "{}")));
        }
      }
      TenantEraser.builder(fixture.rota()).closing(true).build().erase("acme");
      tenants.get(1).enqueueAll(Collections.nCopies(50, NewTask.of("k", "{}")));
      fixture.await(
          "all of the other one ran",
          "select count(*) = 1050 from rota_2.task_hist_2 where state = 'done'");
      assertThat(ran.get()).isGreaterThanOrEqualTo(1_050);
      daemon.close();
      worker.close();
    }
    assertThat(fixture.leftOf(1)).isEmpty();
  }

  @Test
  void somebodyWhoHoldsATableIsWaitedFor() throws Exception {
    Tenant unused = fixture.tenant("acme");
    try (Connection reader = fixture.connect();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("select * from rota_1.task_hist_1_1");
      TenantEraser hasty =
          TenantEraser.builder(fixture.rota()).closing(true).patience(Duration.ZERO).build();
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> hasty.erase("acme"))
          .withMessageContaining("'acme' (1)")
          .withMessageContaining("erase again");
      assertThatExceptionOfType(TenantExistsException.class)
          .isThrownBy(() -> fixture.rota().tenants().register("acme"))
          .withMessageContaining("being erased");
      reader.rollback();
    }
    ErasureReceipt receipt = eraserWithoutArchive().erase("acme");
    assertThat(fixture.leftOf(1)).isEmpty();
    assertThat(receipt.parts())
        .filteredOn(part -> part.kind() == ErasureReceipt.Kind.TABLE)
        .hasSize(5);
    assertThatExceptionOfType(TenantExistsException.class)
        .isThrownBy(() -> fixture.rota().tenants().register("acme"));
    fixture.execute("update rota.erasure set finished_at = now() - interval '2 minutes'");
    assertThat(fixture.rota().tenants().register("acme").number()).isEqualTo(2);
  }

  private TenantEraser eraserWithoutArchive() {
    return TenantEraser.builder(fixture.rota()).build();
  }

  private static void assertRefused(TenantEraser.Builder eraser, String... words) {
    assertThatExceptionOfType(ErasureRefusedException.class)
        .isThrownBy(() -> eraser.build().erase("acme"))
        .satisfies(e -> assertThat(e.getMessage()).contains(words));
  }
}
