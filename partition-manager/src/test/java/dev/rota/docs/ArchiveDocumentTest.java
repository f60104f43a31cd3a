package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.testing.Documents;
import dev.rota.testing.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of an archive in docs/history.md is compiled, and it runs. */
class ArchiveDocumentTest {

  @Test
  void exampleRuns(@TempDir Path folder) throws Exception {
    assertThat(Documents.blocks("docs/history.md", "java"))
        .contains(
            Documents.region(
                "partition-manager/src/test/java/dev/rota/docs/ArchiveExample.java", "archive"));
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.migrate();
      ArchiveExample.run(rota, folder);
    }
  }
}
