package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** Tests that the build's bill of materials names all parts of a module. */
class BillOfMaterialsTest {

  private static final Path COMMAND = Path.of(".");
  private static final Path MANAGER = Path.of("..", "partition-manager");
  private static final Path CORE = Path.of("..", "core");
  private static final Path JACKSON = Path.of("..", "integrations", "jackson");
  private static final Path MICROMETER = Path.of("..", "integrations", "micrometer");
  private static final Path OPENTELEMETRY = Path.of("..", "integrations", "opentelemetry");
  private static final Path JUNIT = Path.of("..", "integrations", "junit");
  private static final Path SPRING = Path.of("..", "integrations", "spring-boot-starter");

  @Test
  void namesEveryDependencyOfThePomWithItsVersion() throws Exception {
    Set<String> named = named(COMMAND);
    assertThat(direct(MANAGER)).hasSizeGreaterThan(3);
    assertThat(named)
        .containsAll(direct(COMMAND))
        .containsAll(direct(MANAGER))
        .containsAll(direct(CORE));
    assertThat(named(MANAGER)).containsAll(direct(MANAGER)).containsAll(direct(CORE));
    assertThat(named(CORE)).containsAll(direct(CORE));
    assertThat(named(JACKSON)).containsAll(direct(JACKSON)).containsAll(direct(CORE));
    assertThat(named(MICROMETER)).containsAll(direct(MICROMETER)).containsAll(direct(CORE));
    assertThat(named(OPENTELEMETRY)).containsAll(direct(OPENTELEMETRY)).containsAll(direct(CORE));
    assertThat(named(JUNIT)).containsAll(direct(JUNIT)).containsAll(passedOn(MANAGER));
    assertThat(named(SPRING)).containsAll(direct(SPRING)).containsAll(passedOn(MANAGER));
    assertThat(named).doesNotContain("dev.rota:rota-testkit", "org.assertj:assertj-core");
  }

  private static Set<String> named(Path module) throws IOException {
    Path file = module.resolve("target").resolve("bom.json");
    assumeTrue(Files.exists(file), "a fast build makes no bill of materials");
    JsonNode bill = JsonMapper.builder().build().readTree(file.toFile());
    assertThat(bill.get("bomFormat").asText()).isEqualTo("CycloneDX");
    Set<String> named = new TreeSet<>();
    for (JsonNode component : bill.get("components")) {
      assertThat(component.get("version").asText()).as(component.toString()).isNotBlank();
      assertThat(component.get("purl").asText()).startsWith("pkg:maven/");
      assertThat(component.get("hashes")).as("hashes of %s", component).isNotEmpty();
      assertThat(component.get("licenses")).as("licences of %s", component).isNotEmpty();
      named.add(component.get("group").asText() + ":" + component.get("name").asText());
    }
    return named;
  }

  /** What a pom names that is not for tests or plugins alone, nor a list of versions. */
  private static Set<String> direct(Path module) throws Exception {
    return dependencies(module, true);
  }

  /** Those of them that users of the module get with it. */
  private static Set<String> passedOn(Path module) throws Exception {
    return dependencies(module, false);
  }

  private static Set<String> dependencies(Path module, boolean withOptional) throws Exception {
    NodeList all =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(module.resolve("pom.xml").toFile())
            .getElementsByTagName("dependency");
    Set<String> named = new TreeSet<>();
    for (int i = 0; i < all.getLength(); i++) {
      Element dependency = (Element) all.item(i);
      boolean optional = text(dependency, "optional").equals("true");
      if (!isOfPlugin(dependency)
          && !Set.of("test", "import").contains(text(dependency, "scope"))
          && (withOptional || !optional)) {
        named.add(text(dependency, "groupId") + ":" + text(dependency, "artifactId"));
      }
    }
    assertThat(named).isNotEmpty();
    return named;
  }

  /** Whether it belongs to a plugin of the build, and so to no jar. */
  private static boolean isOfPlugin(Element dependency) {
    return dependency.getParentNode().getParentNode().getNodeName().equals("plugin");
  }

  private static String text(Element parent, String name) {
    return Stream.iterate(parent.getFirstChild(), child -> child != null, Node::getNextSibling)
        .filter(child -> child.getNodeName().equals(name))
        .map(Node::getTextContent)
        .findFirst()
        .orElse("");
  }
}
