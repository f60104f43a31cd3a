package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that no text becomes markup on any page: pages of hostile texts consist of what the pages
 * of harmless ones consist of, and show the texts as texts.
 */
@Tag("exhaustive")
class DashboardFuzzTest {

  private static final long SEED = Long.getLong("rota.fuzz.seed", System.nanoTime());

  /** The pages that no list of actions tells. */
  private static final List<String> PATHS =
      List.of(
          "/tenant", "/task", "/kind", "/why", "/graphs", "/graph", "/operation", "/actions/stop");

  /** Parameters that links have on long lists alone. */
  private static final List<String> FURTHER = List.of("after", "after-tenant", "before", "from");

  private static final String PLAIN = "plain words";
  private static final int FORMS = 8;

  private static TextedDashboard harmless;
  private static TextedDashboard hostile;
  private static Crawler plain;
  private static Crawler fuzzed;

  @BeforeAll
  static void visitAllPages() throws Exception {
    System.out.printf("fuzz: -Drota.fuzz.seed=%d%n", SEED);
    List<String> texts = HostileTexts.of(SEED);
    harmless = new TextedDashboard(HostileTexts.harmless(texts));
    hostile = new TextedDashboard(texts);
    plain = new Crawler(harmless.browsing(0)).crawl();
    fuzzed = new Crawler(hostile.browsing(0)).crawl();
    System.out.printf(
        "fuzz: %d texts, %d pages of %d paths%n",
        texts.size(), fuzzed.pages(), fuzzed.paths().size());
  }

  @AfterAll
  static void close() {
    Stream.of(harmless, hostile).filter(each -> each != null).forEach(TextedDashboard::close);
  }

  @Test
  void allPagesAreVisited() {
    List<String> expected = new ArrayList<>(DashboardTest.PAGES);
    expected.addAll(PATHS);
    DashboardSecurityTest.posts().forEach(post -> expected.add("/actions/" + post.action()));
    assertThat(fuzzed.paths()).containsAll(expected);
    assertThat(plain.paths()).isEqualTo(fuzzed.paths());
  }

  @Test
  void noTextIsMarkup() {
    for (String path : fuzzed.paths()) {
      assertThat(fuzzed.shapes(path)).as(path).isSubsetOf(plain.shapes(path));
    }
  }

  @Test
  void eachTextIsShownAsItIs() {
    assertShown("/tenant", TextedDashboard::name);
    assertShown("/tenants", TextedDashboard::name);
    assertShown("/schedules", TextedDashboard::name);
    assertShown("/why", TextedDashboard::name);
    assertShown("/audit", TextedDashboard::key);
    assertShown("/task", TextedDashboard::key);
    assertShown("/workers", text -> text);
    assertShown("/limits", TextedDashboard::key);
  }

  /** The newest operations and some forms are visited, and ten reasons are shown. */
  @ParameterizedTest
  @ValueSource(strings = {"/storage", "/operation", "/actions/cancel"})
  void someTextsAreShownAsTheyAre(String path) {
    String shown = String.join("\n", fuzzed.texts(path));
    assertThat(hostile.texts())
        .filteredOn(text -> shown.contains(TextedDashboard.key(text)))
        .hasSizeGreaterThan(2);
  }

  private static void assertShown(String path, Function<String, String> part) {
    String shown = String.join("\n", fuzzed.texts(path));
    for (String text : hostile.texts()) {
      assertThat(shown.contains(part.apply(text))).as("%s shows %s", path, text).isTrue();
    }
  }

  @Test
  void noParameterIsMarkup() {
    Random random = new Random(SEED);
    for (String path : fuzzed.paths()) {
      for (String name : names(path)) {
        plain.add(path, page(harmless, path, name, PLAIN));
        assertSame(path, page(hostile, path, name, any(random)));
        assertSame(path, page(hostile, path, name, any(random)));
      }
      plain.add(path, page(harmless, path, fields(path, () -> PLAIN)));
      assertSame(path, page(hostile, path, fields(path, () -> any(random))));
      String unknown = any(random);
      plain.add(path, page(harmless, path, PLAIN, PLAIN));
      assertSame(path, page(hostile, path, unknown, unknown));
    }
  }

  /** The parameters that a path is known to take, and those of long lists. */
  private static Set<String> names(String path) {
    Set<String> names = new TreeSet<>(fuzzed.parameters(path));
    names.addAll(FURTHER);
    names.remove("rota_token");
    return names;
  }

  private static String[] fields(String path, Supplier<String> text) {
    return names(path).stream().flatMap(name -> Stream.of(name, text.get())).toArray(String[]::new);
  }

  private static String any(Random random) {
    return hostile.texts().get(random.nextInt(hostile.texts().size()));
  }

  private static PageOutline page(TextedDashboard dashboard, String path, String... parameters) {
    return PageOutline.of(Browsing.text(browsing(dashboard).whole(path, parameters)));
  }

  private static Browsing browsing(TextedDashboard dashboard) {
    return dashboard.browsing(0);
  }

  private static void assertSame(String path, PageOutline page) {
    assertThat(page.shapes()).as(path).isSubsetOf(plain.shapes(path));
  }

  @Test
  void noFormIsMarkup() {
    Random random = new Random(SEED);
    for (String path : actions()) {
      plain.add(path, posted(harmless, path, fields(path, () -> PLAIN)));
      for (int i = 0; i < FORMS; i++) {
        String text = any(random);
        assertSame(path, posted(hostile, path, fields(path, () -> text)));
      }
    }
  }

  private static List<String> actions() {
    return fuzzed.paths().stream().filter(path -> path.startsWith("/actions/")).toList();
  }

  private static PageOutline posted(TextedDashboard dashboard, String path, String[] fields) {
    DashboardResponse answer = browsing(dashboard).post(path, fields);
    assertThat(answer.status()).as(path + Browsing.text(answer)).isIn(200, 303, 400, 403, 404);
    return PageOutline.of(Browsing.text(answer));
  }

  @Test
  void noPathAndNoViewerIsMarkup() {
    PageOutline missing = page(harmless, "/plain");
    for (int i = 0; i < hostile.texts().size(); i++) {
      String text = hostile.texts().get(i);
      for (String path : List.of("/" + text, "/actions/" + text, "//" + text)) {
        assertThat(page(hostile, path).shapes()).as(path).isSubsetOf(missing.shapes());
      }
      PageOutline page = PageOutline.of(hostile.browsing(i).page("/"));
      assertThat(page.shapes()).isSubsetOf(plain.shapes("/"));
      assertThat(page.texts()).contains(TextedDashboard.name(text));
    }
  }

  @Test
  void noTokenOfAHostIsMarkup() {
    String field = "main>div>form>input type=hidden name=%s value";
    for (String text : hostile.texts()) {
      DashboardRequest.Token token = new DashboardRequest.Token(text, () -> text);
      PageOutline form = PageOutline.of(Browsing.text(form(token)));
      assertThat(form.fields()).contains(text);
      assertThat(form.texts()).contains(text);
      Set<String> others =
          form.shapes().stream()
              .filter(shape -> !shape.endsWith(field.formatted(text)))
              .collect(Collectors.toSet());
      assertThat(others).isSubsetOf(plain.shapes("/actions/close"));
    }
  }

  private static DashboardResponse form(DashboardRequest.Token token) {
    DashboardRequest plainly =
        Browsing.request(
            "GET",
            "/actions/close",
            Map.of(),
            "tenant",
            TextedDashboard.name(hostile.texts().get(0)));
    return browsing(hostile)
        .dashboard()
        .handle(
            new DashboardRequest(
                plainly.method(),
                plainly.location(),
                plainly.parameters(),
                plainly.headers(),
                new DashboardRequest.Caller(Optional.empty(), role -> false, Optional.of(token))));
  }
}
