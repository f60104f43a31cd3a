package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what the pages show, and how they answer requests that they cannot serve. */
@RotaTest
class DashboardTest {

  static final List<String> PAGES =
      List.of(
          "/",
          "/tenants",
          "/kinds",
          "/pipelines",
          "/limits",
          "/running",
          "/failures",
          "/schedules",
          "/workers",
          "/storage",
          "/audit");

  private static final String HOSTILE =
      "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&";

  private static final Pattern ASSET = Pattern.compile("(?:href|src)=\"/ops/rota(/assets/[^?\"]+)");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  private Browsing browsing() {
    return new Browsing(Dashboard.builder(fixture.rota()).build());
  }

  @Test
  void theOverviewShowsSumsAndWhatNeedsAttention() {
    acme.enqueueAll(Collections.nCopies(1_234, NewTask.of("mail", "{}")));
    Await.until("counters are there", () -> pending() == 1_234);
    String page = browsing().page("/");
    assertThat(page).contains("<dd>~1,234</dd>").contains("acme");
    assertThat(page).contains("No daemon leads").contains("Tasks wait, and no worker is alive");
  }

  private long pending() {
    return fixture.rota().insight().overview().estimated().pending();
  }

  @Test
  void aNameMayBeginAndEndWithSpaces() {
    Tenant spaced = fixture.rota().tenants().register(" acme ");
    assertThat(browsing().page("/tenant", "name", " acme ")).contains("<h1> acme </h1>");
    assertThat(browsing().page("/tenants", "search", " acme ")).contains("2 tenants");
    Browsing operator =
        new Browsing(
            Dashboard.builder(fixture.rota())
                .access(DashboardAccess.everyone(Right.values()))
                .build());
    assertThat(
            operator
                .post("/actions/enqueue", "tenant", " acme ", "kind", "mail", "priority", " 0 ")
                .status())
        .isEqualTo(303);
    Await.until("the task is enqueued", () -> spaced.claim(1).tasks().size(), 1);
  }

  @Test
  void anAccessThatFailsIsSaid() {
    DashboardAccess access = request -> Optional.of(Viewer.reader("x".repeat(201)));
    Browsing browsing = new Browsing(Dashboard.builder(fixture.rota()).access(access).build());
    DashboardResponse answer = browsing.get("/");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(Browsing.text(answer)).contains("the dashboard cannot tell who you are");
    assertThat(browsing.get("/healthz").status()).isEqualTo(200);
  }

  @Test
  void tenantsAreSearchedSortedAndPaged() {
    fixture
        .rota()
        .tenants()
        .registerAll(IntStream.range(0, 120).mapToObj("shop-%03d"::formatted).toList());
    String first = browsing().page("/tenants", "order", "name");
    assertThat(first).contains("121 tenants").contains(">shop-000<").doesNotContain(">shop-060<");
    assertThat(first).contains("/ops/rota/tenants?from=50&amp;order=name");
    assertThat(browsing().page("/tenants", "from", "100")).contains("previous 50");
    String found = browsing().page("/tenants", "search", "SHOP-11");
    assertThat(found).contains("10 tenants").contains(">shop-117<").doesNotContain("acme");
    assertThat(found).contains("value=\"SHOP-11\"");
  }

  @Test
  void aTenantShowsItsNewestAttemptsAndHowFarItLooked() {
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("mail", "{}")));
    try (Worker worker = failing(task -> "no such mailbox")) {
      Await.until(
          "they ended", () -> browsing().page("/tenant", "name", "acme").contains("3 found"));
    }
    String page = browsing().page("/tenant", "name", "acme");
    assertThat(page).contains("looked at ~3 of ~3 attempts").contains("no such mailbox");
    assertThat(browsing().get("/tenant", "name", "no-such").status()).isEqualTo(404);
    assertThat(browsing().get("/tenant").status()).isEqualTo(400);
  }

  /** A worker that counts, whose attempts at tasks of kind mail fail with a message. */
  private Worker failing(Function<Task, String> message) {
    return fixture
        .rota()
        .worker()
        .hourlyStatistics(true)
        .retry(RetryPolicy.never())
        .handle(
            "mail",
            task -> {
              throw new IllegalStateException(message.apply(task));
            })
        .start();
  }

  @Test
  @Tag("exhaustive")
  void failuresOfAllTenantsAreGrouped() {
    Tenant other = fixture.tenant("other");
    acme.enqueue(NewTask.of("mail", "17"));
    other.enqueue(NewTask.of("mail", "4711"));
    try (Worker worker = failing(task -> "no order " + task.payload())) {
      Await.until(
          "both failed",
          () -> browsing().page("/failures").contains("<td class=\"number\">2</td>"));
    }
    assertThat(browsing().page("/failures")).contains("IllegalStateException: no order #");
    assertThat(browsing().page("/kinds")).contains("100.0 %");
    assertThat(browsing().page("/failures", "kind", "other")).contains("No failure is counted");
    assertThat(browsing().page("/failures", "tenant", "acme"))
        .contains("<td class=\"number\">1</td>");
  }

  @Test
  void runningBatchesWorkersAndSchedulesAreListed() {
    acme.schedules()
        .add(Schedule.every("nightly", Duration.ofHours(24), NewTask.of("clean", "{}")));
    acme.enqueue(NewTask.of("mail", "{}"));
    try (var batch = acme.claim(1)) {
      assertThat(browsing().page("/running")).contains(">acme</a>");
      assertThat(browsing().page("/workers")).contains("alive");
      assertThat(browsing().page("/schedules")).contains("nightly").contains("every 24 h");
      assertThat(browsing().page("/schedules", "search", "no such")).contains("no such schedule");
      batch.settle();
    }
  }

  @Test
  void storageTellsWhatTablesTake() throws SQLException {
    assertThat(browsing().page("/storage"))
        .contains("segments of history", "the last hour has none");
    fixture.execute(
        "insert into rota.usage (tenant, hour, storage_byte_hours)"
            + " select 1, date_bin('1 hour', now(), 'epoch') - h * interval '1 hour', 9000000 - h * 100000"
            + " from generate_series(1, 25, 24) h");
    assertThat(browsing().page("/storage"))
        .contains(
            "Tables of tenants: 8.5 MB",
            "In a day: +2.3 MB",
            "In a week, if that goes on: ~24.5 MB");
  }

  @Test
  @Tag("exhaustive")
  void hostileTextsAreNoMarkup() {
    Tenant hostile = fixture.tenant(HOSTILE);
    hostile.enqueue(NewTask.of("mail", HOSTILE));
    var unused =
        hostile
            .schedules()
            .add(Schedule.every(HOSTILE, Duration.ofHours(1), NewTask.of("clean", HOSTILE)));
    try (Worker worker = failing(Task::payload)) {
      Await.until("it failed", () -> !browsing().page("/failures").contains("No failure"));
    }
    for (String path : PAGES) {
      assertHarmless(browsing().page(path));
    }
    assertHarmless(browsing().page("/tenant", "name", HOSTILE));
    assertHarmless(browsing().page("/tenants", "search", HOSTILE));
    assertHarmless(Browsing.text(browsing().get("/tenants", "order", HOSTILE)));
    assertHarmless(Browsing.text(browsing().get("/kinds", HOSTILE, HOSTILE)));
    assertHarmless(Browsing.text(browsing().get("/" + HOSTILE)));
  }

  private static void assertHarmless(String page) {
    assertThat(page).doesNotContain("<script>").doesNotContain("<img").contains("</html>");
  }

  @Test
  void everyAnswerHasItsHeaders() {
    for (String path :
        List.of("/", "/assets/htmx.js", "/no-such-page", "/chart.json", "/healthz")) {
      Map<String, String> headers = browsing().get(path).headers();
      assertThat(headers.get("Content-Security-Policy"))
          .as(path)
          .startsWith("default-src 'none'")
          .doesNotContain("unsafe")
          .doesNotContain("http:");
      assertThat(headers).containsEntry("X-Content-Type-Options", "nosniff");
    }
  }

  @Test
  void whatCannotBeServedIsSaid() {
    assertThat(browsing().get("/no-such-page").status()).isEqualTo(404);
    assertThat(browsing().get("/assets/../secret").status()).isEqualTo(404);
    DashboardResponse badOrder = browsing().get("/tenants", "order", "size");
    assertThat(badOrder.status()).isEqualTo(400);
    assertThat(Browsing.text(badOrder)).contains("order is 'size'; use one of [NAME");
    assertThat(Browsing.text(browsing().get("/kinds", "hours", "0")))
        .contains("use a number from 1 to 744");
    DashboardRequest put = Browsing.request("PUT", "/", Map.of());
    assertThat(browsing().dashboard().handle(put).status()).isEqualTo(405);
  }

  @Test
  void onlyViewersAreAnswered() {
    Dashboard closed =
        Dashboard.builder(fixture.rota())
            .access(
                request -> Optional.ofNullable(request.headers().get("x-user")).map(Viewer::reader))
            .build();
    for (String path : List.of("/", "/chart.json", "/assets/htmx.js")) {
      assertThat(new Browsing(closed).get(path).status()).as(path).isEqualTo(403);
    }
    DashboardRequest joe = Browsing.request("GET", "/", Map.of("x-user", "joe"));
    assertThat(Browsing.text(closed.handle(joe))).contains("<span class=\"viewer\">joe</span>");
  }

  @Test
  void aDatabaseThatRefusesIsSaid() {
    Faults faults = new Faults();
    Browsing away = new Browsing(Dashboard.builder(fixture.observed(faults)).build());
    ScriptedFault fault = faults.before("list processes").always().fail();
    DashboardResponse refused = away.get("/workers");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(Browsing.text(refused)).as("it tries again").contains("hx-trigger=\"every 2s\"");
    fault.stop();
    assertThat(away.page("/workers")).contains("Processes");
  }

  @Test
  @Tag("exhaustive")
  void manyViewersAreOneReader() {
    AtomicInteger statements = new AtomicInteger();
    Rota counted = fixture.observed(counting(statements), builder -> builder);
    Browsing watched = new Browsing(Dashboard.builder(counted).build());
    watched.page("/");
    int ofOne = statements.get();
    List<CompletableFuture<String>> viewers =
        IntStream.range(0, 20)
            .mapToObj(viewer -> CompletableFuture.supplyAsync(() -> watched.page("/")))
            .toList();
    viewers.forEach(CompletableFuture::join);
    assertThat(statements.get() - ofOne).isLessThanOrEqualTo(2 * ofOne);
  }

  private static StatementObserver counting(AtomicInteger statements) {
    return new StatementObserver() {
      @Override
      public void before(String call) {
        statements.incrementAndGet();
      }
    };
  }

  @Test
  void aFirstVisitIsSmall() {
    Map<String, String> accept = Map.of("accept-encoding", "gzip, br");
    Dashboard dashboard = browsing().dashboard();
    List<String> files =
        ASSET.matcher(browsing().page("/")).results().map(DashboardTest::file).toList();
    assertThat(files).hasSize(5);
    int bytes = dashboard.handle(Browsing.request("GET", "/", accept)).length();
    for (String file : files) {
      DashboardResponse asset = dashboard.handle(Browsing.request("GET", file, accept));
      assertThat(asset.headers()).containsEntry("Content-Encoding", "gzip");
      bytes += asset.length();
    }
    assertThat(bytes).isLessThan(100_000);
  }

  private static String file(MatchResult found) {
    return found.group(1);
  }

  @ParameterizedTest
  @CsvSource({"/, 2", "/tenants, 2", "/failures, 10"})
  @Tag("exhaustive")
  void pagesRenewThemselvesUnlessTheyAreTold(String path, int seconds) {
    assertThat(browsing().page(path))
        .contains("hx-trigger=\"every " + seconds + "s\"")
        .contains("hx-select-oob=\"#daemon\"")
        .contains("id=\"daemon\"");
    assertThat(browsing().page(path, "live", "off")).doesNotContain("hx-trigger");
  }
}
