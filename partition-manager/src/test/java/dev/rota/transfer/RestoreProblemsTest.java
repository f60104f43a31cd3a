package dev.rota.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.StoreAround;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that damaged or foreign files are reported and left, and all others are restored. */
@RotaTest
@Tag("exhaustive")
class RestoreProblemsTest {

  private static final String MANIFEST =
      "select (to_jsonb(a) - 'begun_at' - 'archived_at' - %s)::text from rota.archive a order by seq";

  @TempDir private Path folder;
  @Given private TransferFixture database;
  private List<String> manifest;
  private List<String> keys;
  private Path first;
  private byte[] whole;

  @BeforeEach
  void open() throws Exception {
    database.withArchive("acme");
    manifest = manifest("''");
    keys = database.texts("select key from rota.archive order by seq");
    first = database.kept().resolve(keys.get(0));
    whole = Files.readAllBytes(first);
    database.execute("delete from rota.archive");
  }

  private List<String> manifest(String without) throws SQLException {
    return database.texts(MANIFEST.formatted(without));
  }

  private RestoreReport restore(RestoreOptions options) {
    return TenantTransfer.over(database.rota(), database.archive()).restoreTenant("acme", options);
  }

  private RestoreReport restore() {
    return restore(RestoreOptions.defaults());
  }

  private void assertLeft(RestoreReport report, String key, String reason) throws Exception {
    assertThat(report.problems())
        .as(reason)
        .extracting(RestoreReport.Problem::key)
        .containsExactly(key);
    assertThat(report.problems().get(0).reason()).contains(reason);
    assertThat(report.complete()).isFalse();
  }

  @Test
  void changedAndTornFilesAreLeftUntilTheyArePutBack() throws Exception {
    Random random = new Random(5);
    for (int i = 0; i < 4; i++) {
      byte[] changed = whole.clone();
      changed[4 + random.nextInt(whole.length / 2)] ^= 1;
      Files.write(first, changed);
      assertLeft(restore(), keys.get(0), "it was changed since it was archived");
    }
    assertThat(manifest("''")).isEqualTo(manifest.subList(1, manifest.size()));
    Files.write(first, Arrays.copyOf(whole, whole.length - 9));
    assertLeft(restore(), keys.get(0), "only a part of one");
    Files.write(first, new byte[0]);
    assertLeft(restore(), keys.get(0), "only a part of one");
    assertThat(restore().known()).isEqualTo(keys.size() - 1);
    Files.write(first, whole);
    assertThat(restore().complete()).isTrue();
    assertThat(manifest("''")).isEqualTo(manifest);
  }

  @Test
  void filesOfOthersAreLeft() throws Exception {
    rewrite(
        "rota_format: '1', rota_tenant: '8', rota_tenant_name: 'beta', rota_segment: '1', rota_rows: '40'");
    assertLeft(restore(), keys.get(0), "of tenant 'beta' with number 8");
    RestoreReport moved = restore(RestoreOptions.defaults().withFormerNumber(8));
    assertThat(moved.complete()).isTrue();
    database.execute("delete from rota.archive");
    rewrite(
        "rota_format: '1', rota_tenant: '1', rota_tenant_name: 'acme', rota_segment: '3', rota_rows: '40'");
    assertLeft(restore(), keys.get(0), "it says that it is segment 3");
    rewrite(
        "rota_format: '1', rota_tenant: '1', rota_tenant_name: 'acme', rota_segment: '1', rota_rows: '41'");
    assertLeft(restore(), keys.get(0), "it has 40 attempts, and says 41");
    rewrite("somebody: 'else'");
    assertLeft(restore(), keys.get(0), "was not written by Rota");
    Files.write(first, whole);
    Path strange = database.kept().resolve("tenant=1/notes.txt");
    Files.writeString(strange, "hello");
    assertLeft(restore(), "tenant=1/notes.txt", "its name is none of Rota's");
    Files.delete(strange);
    Path twice = Files.createDirectories(database.kept().resolve("tenant=1/hour=2000-01-01T00Z"));
    Files.write(twice.resolve("seq=1.parquet"), whole);
    assertLeft(
        restore(), "tenant=1/hour=2000-01-01T00Z/seq=1.parquet", "in the manifest by another file");
  }

  @Test
  void aFileThatDiffersFromTheManifestIsTold() throws Exception {
    assertThat(restore().complete()).isTrue();
    Files.write(first, Files.readAllBytes(database.kept().resolve(keys.get(1))));
    assertLeft(restore(), keys.get(0), "it differs from the manifest");
    database.execute("update rota.archive set archived_at = null where seq = 1");
    assertThat(restore().complete()).as("what is being written is the archiver's").isTrue();
    assertThat(database.texts("select archived_at from rota.archive where seq = 1"))
        .containsExactly("null");
  }

  /** Their digest was never written, nor when their segment was opened and sealed. */
  @Test
  void filesOfOlderVersionsAreRestored() throws Exception {
    rewrite(
        "rota_format: '1', rota_tenant: '1', rota_tenant_name: 'acme', rota_segment: '1', rota_rows: '40'");
    assertThat(restore().complete()).isTrue();
    String unknown = "'opened_at' - 'sealed_at' - 'state_sum' - 'bytes' - 'sha256'";
    String known = database.texts(MANIFEST.formatted(unknown)).get(0);
    assertThat(manifest.get(0)).contains("\"rows\": 40");
    assertThat(known).contains("\"rows\": 40").contains("\"id_from\"");
    assertThat(
            database.texts(
                "select sealed_at >= created_to and opened_at = date_trunc('hour', opened_at)"
                    + " from rota.archive where seq = 1"))
        .containsExactly("t");
  }

  @Test
  void halfUploadsAndFilesThatGoMeanwhileDoNotHinderOthers() throws Exception {
    Path half = first.resolveSibling(first.getFileName() + "." + UUID.randomUUID() + ".part");
    Files.write(half, Arrays.copyOf(whole, 100));
    try (ObjectStore store = ObjectStore.folder(database.kept());
        Archive going =
            database.archive(
                new StoreAround(store) {
                  @Override
                  public List<StoredObject> list(String prefix) throws IOException {
                    List<StoredObject> listed = super.list(prefix);
                    Files.deleteIfExists(first);
                    return listed;
                  }
                })) {
      RestoreReport report =
          TenantTransfer.over(database.rota(), going)
              .restoreTenant("acme", RestoreOptions.defaults());
      assertLeft(report, keys.get(0), "it no longer exists");
    }
    Files.write(first, whole);
    assertThat(restore().complete()).isTrue();
    assertThat(manifest("''")).isEqualTo(manifest);
  }

  /** The same rows with other metadata. */
  private void rewrite(String facts) throws Exception {
    Files.write(first, whole);
    Path made = folder.resolve("made.parquet");
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement()) {
      statement.execute(
          "copy (select * from read_parquet('%s')) to '%s' (format parquet, compression zstd, kv_metadata {%s})"
              .formatted(first, made, facts));
    }
    Files.copy(made, first, StandardCopyOption.REPLACE_EXISTING);
  }
}
