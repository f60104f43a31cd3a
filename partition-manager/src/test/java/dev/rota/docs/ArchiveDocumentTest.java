package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.testing.Documents;
import dev.rota.testing.TestDatabase;
import dev.rota.transfer.TransferFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the example of an archive in docs/history.md is compiled, and runs. */
@Tag("exhaustive")
class ArchiveDocumentTest {

  private static final String EXAMPLE =
      "partition-manager/src/test/java/dev/rota/docs/ArchiveExample.java";

  @Test
  void exampleRuns(@TempDir Path folder) throws Exception {
    assertThat(Documents.blocks("docs/history.md", "java"))
        .contains(
            Documents.region(EXAMPLE, "archive"),
            Documents.region(EXAMPLE, "erase"),
            Documents.region(EXAMPLE, "restore"));
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      ArchiveExample.run(rota, folder);
      rota.tenants().register("acme");
      Files.writeString(folder.resolve("_rota_owner"), owner(database));
      Path receipt = folder.resolve("acme.json");
      try (Archive archive = Archive.in(ObjectStore.folder(folder)).build()) {
        ArchiveExample.erase(rota, archive, receipt);
      }
      assertThat(ErasureReceipt.parse(Files.readString(receipt)).tenant()).isEqualTo("acme");
    }
  }

  @Test
  void restoreExampleRuns(@TempDir Path folder) throws Exception {
    try (TransferFixture fixture = new TransferFixture(folder)) {
      fixture.withArchive("acme");
      fixture.execute("delete from rota.archive");
      assertThat(ArchiveExample.restore(fixture.rota(), fixture.archive()).complete()).isTrue();
    }
  }

  private static String owner(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select id from rota.archive_owner")) {
      rows.next();
      return rows.getString(1);
    }
  }
}
