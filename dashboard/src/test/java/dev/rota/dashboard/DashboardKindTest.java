package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the page of a kind. */
@RotaTest
class DashboardKindTest {

  private static final String KIND = "mail/send";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;

  private Browsing viewer(Viewer viewer) {
    return new Browsing(
        Dashboard.builder(fixture.rota()).access(request -> Optional.of(viewer)).build());
  }

  private Browsing operator() {
    return viewer(Viewer.operator("joe"));
  }

  private void work() {
    acme.enqueueAll(List.of(NewTask.of(KIND, "17"), NewTask.of("sms", "{}")));
    other.enqueueAll(List.of(NewTask.of(KIND, "4711"), NewTask.of(KIND, "")));
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .hourlyStatistics(true)
            .retry(RetryPolicy.never())
            .handle("sms", task -> {})
            .handle(
                KIND,
                task -> {
                  if (!task.payload().isEmpty()) {
                    throw new IllegalStateException("no order " + task.payload());
                  }
                })
            .start()) {
      Await.until(
          "all are counted", () -> operator().page("/kinds").contains(">sms<") && counted());
    }
  }

  private boolean counted() {
    return kind(operator()).contains("<dt>ended</dt><dd>3</dd>");
  }

  private static String kind(Browsing browsing) {
    return browsing.page("/kind", "name", KIND);
  }

  @Test
  @Tag("exhaustive")
  void itShowsSumsHoursErrorsAndActions() {
    work();
    String page = kind(operator());
    assertThat(page)
        .contains("<h1>Kind mail/send</h1>")
        .contains("<dt>failing</dt><dd>66.7 %</dd>")
        .contains("<dt>dead</dt><dd>2</dd>")
        .containsPattern("<dt>run p99</dt><dd>&lt; [0-9.]+ (ms|s)</dd>")
        .containsPattern("<dt>wait p50</dt><dd>&lt; [0-9.]+ (ms|s)</dd>")
        .contains("<td class=\"number\">66.7 %</td>")
        .contains("IllegalStateException: no order #")
        .contains("3 ended, 2 failed</title>")
        .contains("/ops/rota/failures?kind=mail%2Fsend\">all its failures")
        .contains("/actions/pause?scope=kind%3Amail%2Fsend")
        .contains("/actions/redrive?fingerprint=")
        .containsPattern(">other</a></td>(?s:.{0,300})>66.7 %</td>")
        .containsPattern(">acme</a></td>(?s:.{0,300})>33.3 %</td>")
        .doesNotContain("sms");
    assertThat(page.split("<rect class=\"bar\"", -1)).as("a bar an hour").hasSize(24 + 1);
    for (String list : List.of("/kinds", "/pipelines")) {
      assertThat(operator().page(list)).contains("/ops/rota/kind?name=mail%2Fsend\">mail/send");
    }
  }

  @Test
  @Tag("exhaustive")
  void itNamesTheProcessesThatHandleIt() {
    acme.enqueueAll(List.of(NewTask.of(KIND, ""), NewTask.of("lost", "")));
    Rota process = fixture.another(builder -> builder.lease(Duration.ofSeconds(1)));
    try (Worker worker = process.worker().hourlyStatistics(true).handle(KIND, task -> {}).start()) {
      Await.until("it is counted", () -> operator().page("/kinds").contains(">mail/send<"));
      assertThat(operator().page("/kinds")).contains("tell of a handler\">1</td>");
      assertThat(kind(operator()))
          .containsPattern("with a handler for it(?s:.*)>default</td>")
          .doesNotContain("do not tell");
      assertThat(operator().page("/kind", "name", "lost"))
          .contains("None has told of one")
          .contains("No attempt of a tenant is counted");
      Await.until("what it left", () -> operator().page("/workers").contains(">lost</td>"));
      assertThat(operator().page("/workers")).contains(">mail/send</td>");
      assertThat(operator().page("/"))
          .contains("Tasks of kind lost stay pending: no living worker has told of a handler<")
          .containsPattern("/ops/rota/workers\"[^>]*>Tasks of kind lost");
      try (Batch claimed = acme.claim(1)) {
        assertThat(kind(operator())).contains("1 more do not tell");
        assertThat(operator().page("/")).contains("of a handler; processes that do not tell: 1");
        assertThat(operator().page("/workers")).contains(">not told</td>");
        claimed.settle();
      }
      assertThat(worker.statistics().done()).isOne();
    }
  }

  @Test
  void ofAnUnknownKindItIsEmpty() {
    assertThat(operator().page("/kind", "name", "fax"))
        .contains("No attempt is counted")
        .contains("No failure is counted");
    assertThat(operator().get("/kind", "name", "not a kind").status()).isEqualTo(400);
    assertThat(operator().get("/kind").status()).isEqualTo(400);
  }

  @Test
  void onlyViewersOfAllTenantsSeeItAndSomeMayAct() {
    assertThat(kind(viewer(Viewer.reader("rea")))).doesNotContain("/actions/");
    Browsing support = viewer(Viewer.operator("sue").onlyTenants(Set.of("acme")));
    assertThat(support.get("/kind", "name", KIND).status()).isEqualTo(403);
  }
}
