package dev.rota.archive.internal.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.archive.internal.parquet.FileSeal.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a file itself proves whether it is unchanged. */
class FileSealTest {

  private static final String DIGITS = "0123456789abcdef".repeat(4);
  private static final String BLANK = "rota_digest: '" + FileSeal.BLANK + "'";

  @TempDir private Path folder;
  private Path file;
  private DuckDbFile duck;

  @BeforeEach
  void open() throws IOException {
    file = folder.resolve("file.parquet");
    duck = DuckDbFile.open(folder, 128L << 20);
  }

  @AfterEach
  void close() throws IOException {
    duck.close();
  }

  private void write(int rows, String metadata) throws IOException {
    duck.execute(
        "copy (select i as id, 'text ' || i as payload from range(%d) r (i)) to %s (format parquet, row_group_size 2048, kv_metadata {%s})"
            .formatted(rows, DuckDbFile.literal(file.toString()), metadata));
  }

  private void writeSealed(int rows, String name) throws IOException {
    write(rows, "rota_tenant_name: " + DuckDbFile.literal(name) + ", " + BLANK);
    FileSeal.apply(file);
  }

  private Finding finding() throws IOException {
    return FileSeal.of(file).finding();
  }

  /** Names are free: one may look like the digest, to the very bytes before it. */
  @ParameterizedTest(name = "name {index}")
  @ValueSource(
      strings = {
        "acme",
        "rota_digest",
        "rota_digest " + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "\u0018\u000brota_digest\u0018@0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
      })
  void aFileOfSeveralRowGroupsIsWhole(String name) throws Exception {
    writeSealed(10_000, name);
    int groups =
        duck.query(
            "select count(distinct row_group_id) from parquet_metadata("
                + DuckDbFile.literal(file.toString())
                + ")",
            rows -> {
              rows.next();
              return rows.getInt(1);
            });
    assertThat(groups).isGreaterThan(3);
    FileSeal seal = FileSeal.of(file);
    assertThat(seal.finding()).isEqualTo(Finding.WHOLE);
    byte[] bytes = Files.readAllBytes(file);
    assertThat(seal.bytes()).isEqualTo(bytes.length);
    assertThat(seal.sha256())
        .isEqualTo(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)))
        .isEqualTo(Digest.of(file));
  }

  @Test
  @Tag("exhaustive")
  void aByteThatWasChangedAnywhereIsSeen() throws Exception {
    writeSealed(20, DIGITS);
    byte[] whole = Files.readAllBytes(file);
    for (int at = 0; at < whole.length; at++) {
      byte[] changed = whole.clone();
      changed[at] ^= 1;
      Files.write(file, changed);
      assertThat(finding()).as("byte %d of %d", at, whole.length).isNotEqualTo(Finding.WHOLE);
    }
    Files.write(file, whole);
    assertThat(finding()).isEqualTo(Finding.WHOLE);
  }

  @Test
  void aFileThatWasCutOrGrewIsSeen() throws Exception {
    writeSealed(20, DIGITS);
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertThat(finding()).as("%d of %d bytes", length, whole.length).isEqualTo(Finding.TORN);
    }
    Files.write(file, Arrays.copyOf(whole, whole.length + 1));
    assertThat(finding()).isEqualTo(Finding.TORN);
    byte[] shifted = new byte[whole.length + 1];
    System.arraycopy(whole, 0, shifted, 1, whole.length);
    Files.write(file, shifted);
    assertThat(finding()).isEqualTo(Finding.CHANGED);
  }

  @Test
  void whatHasNoDigestSaysNothing() throws Exception {
    write(20, "rota_tenant_name: " + DuckDbFile.literal("rota_digest " + DIGITS));
    assertThat(finding()).isEqualTo(Finding.UNSEALED);
    assertThat(FileSeal.of(file).sha256()).isEqualTo(Digest.of(file));
    assertThatThrownBy(() -> FileSeal.apply(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no place for its digest");
    write(20, BLANK);
    assertThat(finding()).as("the digest was never written").isEqualTo(Finding.CHANGED);
    Files.writeString(file, "no Parquet, though it ends as one: PAR1");
    assertThat(finding()).isEqualTo(Finding.TORN);
  }
}
