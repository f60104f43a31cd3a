package dev.rota.crash.fuzz;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.S3Settings;
import dev.rota.archive.internal.DefaultArchive;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;

/**
 * The intake paths through files and objects that Rota reads again, since other programs may have
 * changed them: receipts, exports, archives.
 */
final class FileWays implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String ARCHIVED = "tenant=1/hour=2030-01-31T08Z/seq=1.parquet";
  private static final RestoreOptions LOOK = RestoreOptions.defaults().takingOver().dryRun();

  private final Path folder;
  private final TextStore store = new TextStore();
  private final Archive archive;
  private final TenantTransfer transfer;
  private final Connection duck;

  FileWays(Rota rota) {
    try {
      folder = Files.createTempDirectory("rota-fuzz-");
      duck = DriverManager.getConnection("jdbc:duckdb:");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    archive = Archive.in(store).stagingFolder(folder).build();
    transfer = TenantTransfer.over(rota, archive);
  }

  List<IntakePath> all() {
    return List.of(
        IntakePath.quick("receipt", ErasureReceipt::parse),
        IntakePath.quick("receipt with a digest", this::receiptWithDigest),
        IntakePath.quick("manifest of an export", this::manifest),
        IntakePath.quick("names in the manifest of an export", this::namesInManifest),
        IntakePath.quick("address of a bucket", this::address),
        IntakePath.quick("owner of an archive", this::owner),
        IntakePath.quick("key of an archived file", this::key),
        IntakePath.quick("hour of an archived file", this::hour),
        IntakePath.quick("archived file", this::content),
        IntakePath.slow("facts of an archived file", this::facts));
  }

  /** Tests a receipt with a valid digest: a forger can compute one as well. */
  private void receiptWithDigest(String text) throws NoSuchAlgorithmException {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    byte[] digest = sha256.digest((text + "}").getBytes(StandardCharsets.UTF_8));
    ErasureReceipt.parse(text + ",\"sha256\":\"" + HexFormat.of().formatHex(digest) + "\"}");
  }

  private void manifest(String text) throws IOException {
    imports(text);
  }

  private void namesInManifest(String text) throws IOException {
    imports(manifestWith("acme", text));
    imports(manifestWith(text, "archive/1.parquet"));
  }

  private static String manifestWith(String tenant, String file) throws JsonProcessingException {
    ObjectNode manifest =
        (ObjectNode)
            JSON.readTree(
                """
                {"format": 1, "export": "e", "rows": {}, "files":
                   [{"path": "", "rows": 1, "bytes": 1, "sha256": ""}],
                 "tenant": {"number": 1, "name": "", "closed": false, "lanes": [0],
                   "marks": {"exportedAt": 1, "createdAt": 1, "lastTaskId": 1, "currentSegment": 1,
                     "policy": {"legalHold": false, "keep": {}}}}}""");
    ((ObjectNode) manifest.get("tenant")).put("name", tenant);
    ((ObjectNode) manifest.get("files").get(0)).put("path", file);
    return JSON.writeValueAsString(manifest);
  }

  private void imports(String manifest) throws IOException {
    Files.write(folder.resolve("manifest.json"), manifest.getBytes(StandardCharsets.UTF_8));
    try {
      transfer.importTenant(folder);
      throw new AssertionError("it was imported");
    } catch (TransferException e) {
      Answers.requireOneLine("the refusal", String.valueOf(e.getMessage()));
    }
  }

  private void address(String text) {
    S3Settings.parse(text);
    S3Settings.parse("s3://bucket/" + text);
    S3Settings.of("bucket").withPrefix(text);
  }

  private void owner(String text) {
    store.clear();
    store.put(DefaultArchive.OWNER_KEY, text.getBytes(StandardCharsets.UTF_8));
    store.put(ARCHIVED, new byte[0]);
    transfer.restoreTenant(EntryPoints.TENANT, RestoreOptions.defaults());
  }

  private void key(String text) {
    look("tenant=1/" + text, new byte[0]);
  }

  private void hour(String text) {
    look("tenant=1/hour=" + text + "/seq=1.parquet", new byte[0]);
  }

  private void content(String text) {
    look(ARCHIVED, text.getBytes(StandardCharsets.UTF_8));
  }

  private void facts(String text) throws IOException, SQLException {
    Path file = folder.resolve("facts.parquet");
    try (Statement statement = duck.createStatement()) {
      statement.execute(
          "copy (select 1 as id) to %s (format parquet, kv_metadata {rota_format: '1', rota_tenant: '1', rota_tenant_name: %s, rota_segment: '1', rota_rows: %s, rota_sealed_at: %s})"
              .formatted(quoted(file.toString()), quoted(text), quoted(text), quoted(text)));
    }
    look(ARCHIVED, Files.readAllBytes(file));
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''").replace("\0", "") + "'";
  }

  /**
   * Checks an archive with one bad file: nothing of it can be restored, and each problem is
   * reported in one line.
   */
  private void look(String key, byte[] content) {
    store.clear();
    store.put(key, content);
    RestoreReport report = transfer.restoreTenant(EntryPoints.TENANT, LOOK);
    Answers.require(report.problems().size() == 1, "problems are " + report.problems());
    Answers.requireOneLine("the problem", report.problems().get(0).reason());
  }

  @Override
  public void close() {
    archive.close();
    try {
      duck.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
