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
import org.junit.jupiter.api.Test;

/** Compares the document of the API with the types of its answers and the fields of its actions. */
@RotaTest
class OpenApiDocumentTest {

  private static final Path DOCUMENT =
      Path.of("src/main/resources/dev/rota/dashboard/internal/api/openapi.json");
  private static final Path GENERATED = Path.of("target", "openapi.json");

  @Given private RotaFixture fixture;

  @Test
  void describesEachPath() throws IOException {
    Reads reads = Reads.of(fixture.rota());
    Operations operations = new Operations(fixture.rota().audit());
    Actions actions = new Actions(fixture.rota(), operations, Instant::now);
    Api api = new Api(reads, actions, operations, PayloadRenderer.whole());
    String generated = OpenApiDocument.of(api.endpoints(), actions.all(), visit());
    Files.writeString(GENERATED, generated);
    assertThat(Files.readString(DOCUMENT))
        .as("the answers have changed: copy %s to %s, and tell users", GENERATED, DOCUMENT)
        .isEqualTo(generated);
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
