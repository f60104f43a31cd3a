package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.testing.Documents;
import dev.rota.testing.ExampleProgram;
import dev.rota.testing.TestDatabase;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the first example is the one that docs/getting-started.md shows, and runs. */
class FirstTaskTest {

  private static final String EXAMPLE = "docs/examples/plain/";
  private static final String DOCUMENT = "docs/getting-started.md";
  private static final String XML = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

  @TempDir private Path folder;

  @Test
  void theDocumentShowsTheWholeProject() {
    assertThat(Documents.blocks(DOCUMENT, "java"))
        .contains(Documents.text(EXAMPLE + "src/main/java/FirstTask.java"));
    assertThat(Documents.blocks(DOCUMENT, "xml"))
        .containsExactly(Documents.text(EXAMPLE + "pom.xml").substring(XML.length()));
  }

  @Test
  void theProjectNamesThisVersion() {
    Matcher version =
        Pattern.compile("<artifactId>rota-parent</artifactId>\\s*<version>(.*?)</version>")
            .matcher(Documents.text("pom.xml"));
    assertThat(version.find()).isTrue();
    assertThat(Documents.text(EXAMPLE + "pom.xml"))
        .containsPattern("rota-core</artifactId>\\s*<version>" + version.group(1) + "<")
        .containsPattern(
            "rota-partition-manager</artifactId>\\s*<version>" + version.group(1) + "<");
  }

  @Test
  @Tag("exhaustive")
  void theProgramRunsBothTasks() throws Exception {
    try (TestDatabase database = TestDatabase.create();
        ExampleProgram program = ExampleProgram.compile("plain", folder)) {
      program.main("FirstTask", database.jdbcUrl());
      try (Rota rota = Rota.connect(database.jdbcUrl())) {
        assertThat(rota.tenants().get("acme").history().scanStates())
            .containsEntry(TaskState.DONE, 2L);
      }
    }
  }
}
