package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.RotaFixture;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.pipeline.StageVisit;
import dev.rota.testing.Await;
import dev.rota.testing.Documents;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the examples in docs/pipelines.md are these compiled ones, and run. */
class PipelinesTest {

  private static final String EXAMPLE = "core/src/test/java/dev/rota/docs/PipelinesExample.java";

  @ParameterizedTest
  @ValueSource(strings = {"pipeline", "worker", "branch", "way"})
  void showsTheCompiledExamples(String region) {
    assertThat(Documents.blocks("docs/pipelines.md", "java"))
        .contains(Documents.region(EXAMPLE, region));
  }

  @Test
  void examplesRun() throws Exception {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.rota().tenants().register("acme");
      Scans library = new Scans();
      try (Worker worker = PipelinesExample.work(fixture.rota(), acme, library)) {
        Await.until("through", () -> worker.statistics().done(), 5);
      }
      long id = library.ids.remove();
      PipelinesExample.show(acme, id);
      assertThat(PipelinesExample.docs.way(acme.history().scanAttempts(id)))
          .extracting(StageVisit::stage)
          .containsExactly("fetch", "parse", "ocr", "parse", "index");
      assertThat(library.indexed).containsExactly("text of image of https://example.org/a");
    }
  }

  /** One in which all pages are images. */
  private static final class Scans implements PipelinesExample.Library {
    private final Queue<Long> ids = new ConcurrentLinkedQueue<>();
    private final Queue<String> indexed = new ConcurrentLinkedQueue<>();

    @Override
    public String fetch(String url) {
      return "image of " + url;
    }

    @Override
    public boolean isText(String page) {
      return page.startsWith("text");
    }

    @Override
    public String read(String image) {
      return "text of " + image;
    }

    @Override
    public void index(String words) {
      indexed.add(words);
    }

    @Override
    public void expect(long id) {
      ids.add(id);
    }
  }
}
