package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Documents;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compiles the examples of docs/dashboard.md. */
class DashboardDocumentTest {

  private static final String DOCUMENT = "docs/dashboard.md";
  private static final String EXAMPLE =
      "dashboard/src/test/java/dev/rota/dashboard/DashboardExample.java";

  @Test
  void theCodeIsCompiled() {
    for (String region : List.of("server", "servlet", "access")) {
      assertThat(Documents.blocks(DOCUMENT, "java " + region))
          .containsExactly(Documents.region(EXAMPLE, region));
    }
  }
}
