package dev.rota.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.Documents;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs the examples of docs/tracing.md. */
@RotaTest
class TracingDocumentTest {

  private static final String DOCUMENT = "docs/tracing.md";
  private static final String EXAMPLE =
      "integrations/opentelemetry/src/test/java/dev/rota/opentelemetry/TracingExample.java";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void theCodeIsCompiled() {
    for (String region : List.of("headers", "tracing")) {
      assertThat(Documents.blocks(DOCUMENT, "java " + region))
          .containsExactly(Documents.region(EXAMPLE, region));
    }
  }

  @Test
  void theStatementsRun() throws Exception {
    assertThat(acme.number()).isEqualTo(1);
    String[] statements = Documents.blocks(DOCUMENT, "sql headers").get(0).split(";\\s*", 2);
    fixture.texts(statements[0]);
    assertThat(fixture.texts(statements[1].replace("select id, payload, ", "select ")))
        .containsExactly("de-AT");
  }
}
