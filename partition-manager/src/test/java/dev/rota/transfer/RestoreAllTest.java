package dev.rota.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Given;
import dev.rota.PostgresVersions;
import dev.rota.RotaTest;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.StoreAround;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that one call restores the history of all tenants after a database was lost. */
@RotaTest
@PostgresVersions(15)
@Tag("exhaustive")
class RestoreAllTest {

  private static final RestoreOptions TAKING_OVER = RestoreOptions.defaults().takingOver();

  private static final String MANIFEST =
      "select (to_jsonb(a) - 'begun_at' - 'archived_at')::text from rota.archive a"
          + " where %s order by tenant, seq";

  @TempDir Path folder;
  @Given private TransferFixture lost;
  @Given private TransferFixture fresh;
  private Archive archive;

  @BeforeEach
  void open() throws Exception {
    fresh.execute("update rota.archive_owner set id = gen_random_uuid()");
    archive = fresh.archive(ObjectStore.folder(lost.kept()));
    lost.withArchives("acme", "beta", "gamma");
  }

  private RestoreAllReport restoreAll(RestoreOptions options) {
    return TenantTransfer.over(fresh.rota(), archive).restoreAll(options);
  }

  /** The files of a tenant, the newest first. */
  private List<String> keys(int tenant) throws SQLException {
    return lost.texts(
        "select key from rota.archive where tenant = " + tenant + " order by seq desc");
  }

  private void tear(String key) throws IOException {
    Path file = lost.kept().resolve(key);
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length / 2));
  }

  private void assertProblem(RestoreAllReport report, String prefix, String reason) {
    assertThat(report.problems())
        .extracting(RestoreReport.Problem::key)
        .as(reason)
        .containsExactly(prefix);
    assertThat(report.problems().get(0).reason()).contains(reason);
    assertThat(report.complete()).isFalse();
    assertThat(report.tenants()).hasSize(2).allMatch(RestoreReport::complete);
  }

  @Test
  void aTornNewestFileHidesNoTenant() throws Exception {
    String torn = keys(2).get(0);
    Path file = lost.kept().resolve(torn);
    byte[] whole = Files.readAllBytes(file);
    tear(torn);
    List<String> before = fresh.registry();
    RestoreAllReport looked = restoreAll(TAKING_OVER.dryRun());
    assertThat(looked.tenants())
        .extracting(each -> each.restored().files())
        .containsExactly(2, 1, 2);
    assertThat(fresh.registry()).isEqualTo(before);

    RestoreAllReport report = restoreAll(TAKING_OVER);
    assertThat(report.tenants())
        .extracting(each -> each.restored().tenant())
        .containsExactly("acme", "beta", "gamma");
    assertThat(report.problems()).isEmpty();
    assertThat(report.complete()).isFalse();
    assertThat(report.tenants().get(1).problems())
        .extracting(RestoreReport.Problem::key)
        .containsExactly(torn);
    assertThat(fresh.texts("select number || name from rota.tenant order by number"))
        .containsExactly("1acme", "2beta", "3gamma");
    String others = MANIFEST.formatted("key <> '" + torn + "'");
    assertThat(fresh.texts(others)).hasSize(5).isEqualTo(lost.texts(others));

    Files.write(file, whole);
    RestoreAllReport again = restoreAll(RestoreOptions.defaults());
    assertThat(again.complete()).isTrue();
    assertThat(again.tenants()).extracting(RestoreReport::known).containsExactly(2, 1, 2);
    assertThat(fresh.texts(MANIFEST.formatted("true")))
        .isEqualTo(lost.texts(MANIFEST.formatted("true")));
    assertThat(fresh.rota().tenants().register("later").number()).isEqualTo(4);
  }

  @Test
  void aTenantThatCannotBeRestoredHindersNoOther() throws Exception {
    fresh.execute("insert into rota.erasure (tenant, name) values (3, 'gone')");
    assertProblem(restoreAll(TAKING_OVER), "tenant=3/", "tenant 'gone' with number 3 was erased");
    fresh.execute("delete from rota.erasure");
    for (String key : keys(3)) {
      tear(key);
    }
    assertProblem(
        restoreAll(RestoreOptions.defaults()), "tenant=3/", "none of the files can be read");
  }

  @Test
  void filesOfTwoTenantsOfOneNameAreNotMixed() throws Exception {
    fresh.execute("alter table rota.tenant alter number restart with 9");
    fresh.rota().tenants().register("beta");
    assertProblem(
        restoreAll(TAKING_OVER), "tenant=2/", "was named 'beta', as is the one with number 9");
    assertThat(fresh.texts("select distinct tenant from rota.archive order by 1"))
        .containsExactly("1", "3");
    assertThat(
            TenantTransfer.over(fresh.rota(), archive)
                .restoreTenant("beta", RestoreOptions.defaults().withNumber(2))
                .complete())
        .isTrue();
  }

  @Test
  void ofTwoTenantsOfOneNameInTheArchiveTheLaterOneIsMeant() throws Exception {
    Path copies = lost.kept().resolve("tenant=8/hour=2001-01-01T00Z");
    Files.createDirectories(copies);
    Files.copy(lost.kept().resolve(keys(2).get(0)), copies.resolve("seq=1.parquet"));
    RestoreAllReport report = restoreAll(TAKING_OVER);
    assertThat(report.tenants()).hasSize(3).allMatch(RestoreReport::complete);
    assertThat(report.problems())
        .extracting(RestoreReport.Problem::key)
        .containsExactly("tenant=8/");
    assertThat(report.problems().get(0).reason())
        .contains("was named 'beta', as is the one with number 2");
    assertThat(fresh.rota().tenants().register("later").number()).isEqualTo(9);
  }

  @Test
  void tenantsMayBeRegisteredUnderTheirNumbersButNoOthers() throws Exception {
    fresh.rota().tenants().register("acme");
    fresh.rota().tenants().register("stranger");
    List<String> before = fresh.registry();
    assertThatThrownBy(() -> restoreAll(TAKING_OVER))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("files under number 2, which is that of tenant 'stranger'");
    assertThatThrownBy(() -> restoreAll(RestoreOptions.defaults()))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("belongs to another database");
    assertThat(fresh.registry()).isEqualTo(before);
    fresh.rota().tenants().rename("stranger", "beta");
    assertThat(restoreAll(TAKING_OVER).complete()).isTrue();
  }

  @Test
  void whatCannotBeMeantIsRefused() throws Exception {
    assertThatThrownBy(() -> restoreAll(TAKING_OVER.withNumber(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("number is 1");
    assertThatThrownBy(() -> TenantTransfer.over(fresh.rota()).restoreAll(TAKING_OVER))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("say where the archive is");
    assertThatThrownBy(
            () ->
                TenantTransfer.over(fresh.rota(), fresh.archive())
                    .restoreAll(RestoreOptions.defaults()))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("has no files of any tenant");
  }

  /** Or it would take the square of the number of tenants, or all keys would be in memory. */
  @Test
  void theArchiveIsVisitedOnceAndEachFileReadTwiceAtMost() throws Exception {
    Map<String, Integer> reads = new HashMap<>();
    try (Archive counted =
        fresh.archive(
            new StoreAround(ObjectStore.folder(lost.kept())) {
              @Override
              public Optional<Path> local(String key) {
                return Optional.empty();
              }

              @Override
              public void fetch(String key, Path file) throws IOException {
                reads.merge(key, 1, Integer::sum);
                super.fetch(key, file);
              }

              @Override
              public List<StoredObject> list(String prefix) throws IOException {
                reads.merge(prefix, 1, Integer::sum);
                return super.list(prefix);
              }

              @Override
              public void visit(String prefix, Consumer<StoredObject> visitor) throws IOException {
                reads.merge("visit " + prefix, 1, Integer::sum);
                super.visit(prefix, visitor);
              }
            })) {
      assertThat(TenantTransfer.over(fresh.rota(), counted).restoreAll(TAKING_OVER).complete())
          .isTrue();
    }
    assertThat(reads.remove("visit tenant=")).isEqualTo(1);
    assertThat(reads).doesNotContainKey("tenant=");
    for (int tenant = 1; tenant <= 3; tenant++) {
      assertThat(reads).containsEntry(keys(tenant).get(0), 2).containsEntry(keys(tenant).get(1), 1);
    }
    assertThat(reads.values()).allMatch(times -> times <= 2);
  }
}
