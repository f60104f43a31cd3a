package dev.rota.dashboard.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.dashboard.DashboardRequest;
import dev.rota.dashboard.PayloadRenderer;
import dev.rota.dashboard.Viewer;
import dev.rota.dashboard.internal.action.Actions;
import dev.rota.dashboard.internal.action.Operations;
import dev.rota.dashboard.internal.read.Reads;
import dev.rota.dashboard.internal.view.Visit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares the document of the API with the types of its answers and the fields of its actions. */
@RotaTest
class OpenApiDocumentTest {

  private static final Path DOCUMENT =
      Path.of("src/main/resources/dev/rota/dashboard/internal/api/openapi.json");
  private static final Path GENERATED = Path.of("target", "openapi.json");
  private static final Path METADATA =
      Path.of(
          "src/main/resources/META-INF/native-image/dev.rota/rota-dashboard",
          "reachability-metadata.json");
  private static final Path GENERATED_METADATA = Path.of("target", "reachability-metadata.json");

  /** What native images know beside those types: files, and the template of all pages. */
  private static final String REFLECTION =
      """
      {
        "resources": [
          {"glob": "META-INF/resources/webjars/htmx.org/*/dist/htmx.min.js"},
          {"glob": "META-INF/resources/webjars/uplot/*/dist/uPlot.iife.min.js"},
          {"glob": "META-INF/resources/webjars/uplot/*/dist/uPlot.min.css"},
          {"glob": "dev/rota/dashboard/internal/*.css"},
          {"glob": "dev/rota/dashboard/internal/*.js"},
          {"glob": "dev/rota/dashboard/internal/api/openapi.json"}
        ],
        "reflection": [
          {
            "type": "dev.rota.dashboard.templates.JtepageGenerated",
            "allDeclaredFields": true,
            "allDeclaredMethods": true
          },
      """;

  @Given private RotaFixture fixture;

  @Test
  void describesEachPath() throws IOException {
    Operations operations = new Operations(fixture.rota().audit());
    Actions actions = new Actions(fixture.rota(), operations, Instant::now);
    String generated =
        OpenApiDocument.of(api(actions, operations).endpoints(), actions.all(), visit());
    Files.writeString(GENERATED, generated);
    assertThat(Files.readString(DOCUMENT))
        .as("the answers have changed: copy %s to %s, and tell users", GENERATED, DOCUMENT)
        .isEqualTo(generated);
  }

  /** A native image has to be told of the types that Jackson writes by reflection. */
  @Test
  void nativeImagesKnowTheTypesOfItsAnswers() throws IOException {
    Operations operations = new Operations(fixture.rota().audit());
    Actions actions = new Actions(fixture.rota(), operations, Instant::now);
    String generated =
        OpenApiDocument.typesOf(api(actions, operations).endpoints()).stream()
            .map(OpenApiDocumentTest::entry)
            .collect(Collectors.joining(",\n", REFLECTION, "\n  ]\n}\n"));
    Files.writeString(GENERATED_METADATA, generated);
    assertThat(Files.readString(METADATA))
        .as("the answers have changed: copy %s to %s", GENERATED_METADATA, METADATA)
        .isEqualTo(generated);
  }

  private static String entry(String type) {
    return """
           {"type": "%s", "allDeclaredFields": true, "allPublicMethods": true}"""
        .formatted(type)
        .indent(4)
        .stripTrailing();
  }

  private Api api(Actions actions, Operations operations) {
    return new Api(Reads.of(fixture.rota()), actions, operations, PayloadRenderer.whole());
  }

  private static Visit visit() {
    DashboardRequest request =
        new DashboardRequest(
            "GET",
            new DashboardRequest.Location("", "/"),
            Map.of(),
            Map.of(),
            DashboardRequest.Caller.unknown());
    return new Visit(request, Viewer.operator("joe"));
  }
}
