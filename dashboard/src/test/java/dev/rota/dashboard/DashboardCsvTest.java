package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.testing.Await;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the list of tenants for spreadsheets. */
@RotaTest
class DashboardCsvTest {

  private static final String HEADER =
      "tenant,number,state,estimated pending,estimated waiting,running,oldest pending in s,"
          + "arrive a second,begin a second";

  @Given private RotaFixture fixture;

  private static Browsing viewer(RotaFixture fixture, Viewer viewer) {
    return new Browsing(
        Dashboard.builder(fixture.rota()).access(request -> Optional.of(viewer)).build());
  }

  private List<String> lines(Viewer viewer, String... parameters) {
    return List.of(viewer(fixture, viewer).page("/tenants.csv", parameters).split("\r\n"));
  }

  @Test
  void itHasAllTenantsInTheOrderOfThePage() {
    fixture
        .rota()
        .tenants()
        .registerAll(IntStream.range(0, 70).mapToObj("shop-%02d"::formatted).toList());
    fixture.tenant("busy").enqueue(NewTask.of("mail", "{}"));
    Await.until("it is counted", () -> lines(Viewer.reader("rea")).get(1).startsWith("busy,71,"));
    List<String> all = lines(Viewer.reader("rea"));
    assertThat(all).hasSize(72).startsWith(HEADER);
    assertThat(all.get(1)).startsWith("busy,71,active,1,0,0,");
    assertThat(all.get(2)).startsWith("shop-00,1,parked,0,0,0,,");
    assertThat(lines(Viewer.reader("rea"), "search", "SHOP-6", "order", "name"))
        .hasSize(11)
        .element(1)
        .asString()
        .startsWith("shop-60,");
    assertThat(lines(Viewer.reader("rea").onlyTenants(Set.of("shop-07", "gone"))))
        .hasSize(2)
        .element(1)
        .asString()
        .startsWith("shop-07,");
  }

  @Test
  @Tag("exhaustive")
  void aViewerOfSomeTenantsFindsThemBehindTenThousandOthers() {
    fixture
        .rota()
        .tenants()
        .registerAll(IntStream.rangeClosed(0, 10_000).mapToObj("shop-%05d"::formatted).toList());
    Viewer support = Viewer.reader("sue").onlyTenants(Set.of("shop-00000", "shop-10000"));
    assertThat(lines(support, "order", "name"))
        .hasSize(3)
        .element(2)
        .asString()
        .startsWith("shop-10000,");
    assertThat(viewer(fixture, support).page("/tenants", "order", "name"))
        .contains("2 tenants", ">shop-10000<");
  }

  @Test
  void noNameIsAFormulaOrEndsItsCell() {
    List<String> names =
        List.of("=1+1", "+1", "-1", "@sum(a1)", "a \"b\", c", "two\r\nlines", "'x", "a=b", "é");
    fixture.rota().tenants().registerAll(names);
    String table = viewer(fixture, Viewer.reader("rea")).page("/tenants.csv", "order", "name");
    for (String cell :
        List.of(
            "\n'=1+1,",
            "\n'+1,",
            "\n'-1,",
            "\n'@sum(a1),",
            "\n\"a \"\"b\"\", c\",",
            "\n\"two\r\nlines\",",
            "\n'x,",
            "\na=b,",
            "\né,")) {
      assertThat(table).contains(cell);
    }
    assertThat(table).endsWith("\r\n");
  }

  @Test
  @Tag("exhaustive")
  void aBrowserSavesIt() {
    Browsing browsing = viewer(fixture, Viewer.reader("rea"));
    DashboardResponse answer = browsing.get("/tenants.csv");
    assertThat(answer.headers())
        .containsEntry("Content-Type", "text/csv; charset=utf-8")
        .containsEntry("Content-Disposition", "attachment; filename=\"tenants.csv\"")
        .containsEntry("X-Content-Type-Options", "nosniff");
    assertThat(browsing.page("/tenants", "search", "a&b", "order", "name", "from", "0"))
        .contains("href=\"/ops/rota/tenants.csv?order=name&amp;search=a%26b\">all as CSV</a>");
    assertThat(browsing.get("/tenants.csv", "order", "size").status()).isEqualTo(400);
  }
}
