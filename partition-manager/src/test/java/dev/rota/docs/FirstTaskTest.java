package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.testing.Documents;
import dev.rota.testing.TestDatabase;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the first example in README.md is this compiled program, and runs. */
class FirstTaskTest {

  private static final String PROGRAM =
      "partition-manager/src/test/java/dev/rota/docs/FirstTask.java";
  private static final String PACKAGE = "package dev.rota.docs;\n\n";

  @Test
  void readmeShowsTheWholeProgram() {
    String program = Documents.text(PROGRAM);
    assertThat(program).startsWith(PACKAGE);
    assertThat(Documents.blocks("README.md", "java")).contains(program.substring(PACKAGE.length()));
  }

  @Test
  void readmeNamesThisVersion() {
    Matcher version =
        Pattern.compile("<artifactId>rota-parent</artifactId>\\s*<version>(.*?)</version>")
            .matcher(Documents.text("pom.xml"));
    assertThat(version.find()).isTrue();
    assertThat(Documents.blocks("README.md", "xml").get(0))
        .containsPattern("rota-core</artifactId>\\s*<version>" + version.group(1) + "<")
        .containsPattern(
            "rota-partition-manager</artifactId>\\s*<version>" + version.group(1) + "<");
  }

  @Test
  void theProgramRunsBothTasks() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      FirstTask.main(new String[] {database.jdbcUrl()});
      try (Rota rota = Rota.connect(database.jdbcUrl())) {
        assertThat(rota.tenants().get("acme").history().scanStates())
            .containsEntry(TaskState.DONE, 2L);
      }
    }
  }
}
