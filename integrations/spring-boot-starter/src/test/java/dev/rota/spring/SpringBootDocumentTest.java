package dev.rota.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Documents;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that docs/spring-boot.md shows compiled examples, and names all properties. */
class SpringBootDocumentTest {

  private static final String DOCUMENT = "docs/spring-boot.md";
  private static final String EXAMPLE =
      "integrations/spring-boot-starter/src/test/java/dev/rota/spring/example/";

  @Test
  void showsTheCompiledExamples() {
    assertThat(Documents.blocks(DOCUMENT, "java"))
        .containsExactly(
            Documents.region(EXAMPLE + "Mails.java", "handler"),
            Documents.region(EXAMPLE + "Orders.java", "transaction"));
    assertThat(Documents.blocks("docs/testing.md", "java spring"))
        .containsExactly(Documents.region(EXAMPLE + "OrdersTest.java", "spring"));
    String version = Documents.text("pom.xml").split("<version>", 2)[1].split("</version>", 2)[0];
    assertThat(Documents.blocks(DOCUMENT, "xml"))
        .singleElement()
        .asString()
        .contains("rota-spring-boot-starter", "<version>" + version + "</version>");
    assertThat(Documents.text(DOCUMENT))
        .contains("`jooq.version` to `" + StartFailureAnalyzer.OfJooq.NEWEST_FOR_17 + "`");
    assertThat(Documents.text("pom.xml"))
        .contains("<jooq.version>" + StartFailureAnalyzer.OfJooq.NEWEST_FOR_17 + "<");
  }

  @Test
  void namesEveryPropertyThatEditorsKnow() throws Exception {
    String document = Documents.text(DOCUMENT);
    try (InputStream metadata =
        getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      JsonNode properties = JsonMapper.shared().readTree(metadata).get("properties");
      List<JsonNode> all = properties.valueStream().toList();
      assertThat(all).hasSizeGreaterThan(20);
      for (JsonNode property : all) {
        String name = property.get("name").asString();
        assertThat(property.get("description").asString("")).as(name).isNotBlank();
        String last = name.substring(name.lastIndexOf('.') + 1);
        assertThat(document).as(name).containsPattern("`[a-zA-Z.\\[\\]-]*" + last + "`");
      }
    }
  }
}
