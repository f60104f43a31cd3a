package dev.rota.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Documents;
import org.junit.jupiter.api.Test;

/** Tests that docs/testing.md shows code that runs. */
class TestingDocumentTest {

  @Test
  void theExampleIsATest() {
    String file = "integrations/junit/src/test/java/dev/rota/junit/InvoiceTest.java";
    assertThat(Documents.blocks("docs/testing.md", "java testing"))
        .containsExactly(Documents.region(file, "testing"));
  }
}
