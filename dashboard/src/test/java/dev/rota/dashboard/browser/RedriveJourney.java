package dev.rota.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.TaskState;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditQuery;
import dev.rota.dashboard.browser.FailedThousand.Failure;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/**
 * The way of a viewer from a thousand dead tasks to a thousand done ones: find the three groups of
 * errors, redrive one over ten seconds, then the others. Each {@link Hands} goes the same way.
 *
 * @param browser shows the pages
 * @param tasks the tasks
 * @param hands what the viewer uses
 */
record RedriveJourney(Browser browser, FailedThousand tasks, Hands hands) {

  private static final Duration SPREAD = Duration.ofSeconds(10);
  private static final List<Integer> SECONDS = List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);

  /** How a viewer acts on a page. */
  interface Hands {

    /** Follows a link, or presses a button. */
    void choose(String selector);

    /** Fills a field. */
    void write(String selector, String text);

    /** Looks at the page again, if it does not renew itself. */
    default void look() {}
  }

  /** A mouse and a keyboard. */
  record Mouse(Browser browser) implements Hands {

    @Override
    public void choose(String selector) {
      browser.click(selector);
    }

    @Override
    public void write(String selector, String text) {
      browser.find(selector).sendKeys(text);
    }
  }

  /** The keyboard alone. */
  record Keyboard(Browser browser) implements Hands {

    @Override
    public void choose(String selector) {
      browser.tabTo(selector);
      browser.press(Keys.ENTER);
    }

    @Override
    public void write(String selector, String text) {
      browser.tabTo(selector);
      browser.press(text);
    }
  }

  /** A mouse, in a browser that runs no script. */
  record Scriptless(Mouse mouse) implements Hands {

    @Override
    public void choose(String selector) {
      mouse.choose(selector);
    }

    @Override
    public void write(String selector, String text) {
      mouse.write(selector, text);
    }

    @Override
    public void look() {
      mouse.browser.driver().navigate().refresh();
    }
  }

  void run() throws SQLException {
    long begun = System.nanoTime();
    openFailures();
    assertThat(groups()).isEqualTo(expectedGroups());
    redriveSpread(Failure.NO_ORDER);
    redriveAtOnce(Set.of(Failure.NO_CONNECTION, Failure.FULL_MAILBOX));
    assertThat(tasks.count(TaskState.DONE)).isEqualTo(FailedThousand.TASKS);
    assertThat(tasks.count(TaskState.DEAD)).isZero();
    System.out.printf(
        "%d tasks, by %s: done in %.1f s%n",
        FailedThousand.TASKS, hands.getClass().getSimpleName(), (System.nanoTime() - begun) / 1e9);
  }

  private void openFailures() {
    browser.open(tasks.address("/"));
    open("failures", "Failures");
  }

  private void open(String page, String heading) {
    hands.choose("nav a[href$='/" + page + "']");
    browser.await(heading, () -> browser.heading().equals(heading));
  }

  /** The dead tasks of each error, as the page shows them. */
  private Map<String, String> groups() {
    Map<String, String> groups = new TreeMap<>();
    rows("the groups").forEach(row -> groups.put(row.get(3), row.get(1)));
    return groups;
  }

  private static Map<String, String> expectedGroups() {
    Map<String, String> expected = new TreeMap<>();
    for (Failure failure : Failure.values()) {
      expected.put(failure.error(), Integer.toString(failure.tasks().size()));
    }
    return expected;
  }

  /** The texts of the cells of the table that the page shows. */
  private List<List<String>> rows(String what) {
    List<List<String>> rows = new ArrayList<>();
    browser.await(
        what,
        () -> {
          rows.clear();
          browser.all("tbody tr").forEach(row -> rows.add(cells(row)));
          return !rows.isEmpty();
        });
    return rows;
  }

  private static List<String> cells(WebElement row) {
    return row.findElements(By.tagName("td")).stream().map(WebElement::getText).toList();
  }

  /** Redrives a group over some seconds, and runs it; no other task moves. */
  private void redriveSpread(Failure failure) throws SQLException {
    int number = failure.tasks().size();
    beginRedrive(failure);
    hands.write("#field-spread", SPREAD.toSeconds() + " s");
    hands.choose("form[method=get] button");
    confirm("It runs %d tasks of 5 tenants again within 10.0 s.".formatted(number), number);
    assertThat(tasks.count(TaskState.DEAD)).isEqualTo(FailedThousand.TASKS - number);
    assertSpread(tasks.dueTimes(), number);
    assertThat(tasks.succeed(number)).isEqualTo(failure.tasks());
    assertThat(tasks.count(TaskState.DONE)).isEqualTo(number);
    assertThat(tasks.count(TaskState.DEAD)).isEqualTo(FailedThousand.TASKS - number);
    assertRecorded(number);
  }

  private void assertSpread(List<Instant> due, int number) {
    AuditEntry.Times times = tasks.rota().audit().list(AuditQuery.newest()).get(0).times();
    Instant first = due.get(0);
    assertThat(due)
        .hasSize(number)
        .allMatch(at -> !at.isBefore(times.begunAt()))
        .allMatch(at -> !at.isAfter(times.endedAt().orElseThrow().plus(SPREAD)));
    assertThat(due)
        .extracting(at -> (int) Duration.between(first, at).toSeconds())
        .as("some are due in each second")
        .containsAll(SECONDS);
  }

  /** The audit has one entry, which tells who did what, and to how many tasks. */
  private void assertRecorded(int number) {
    open("audit", "Audit");
    assertThat(rows("the audit"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.subList(2, 4)).containsExactly("operator", "redrive");
              assertThat(row.get(5)).contains("kind " + FailedThousand.KIND, "spread 10 s");
              assertThat(row.subList(6, 9))
                  .containsExactly(Integer.toString(number), "done", "5 tenants");
            });
  }

  private void redriveAtOnce(Set<Failure> failures) {
    Set<Integer> expected = new TreeSet<>();
    for (Failure failure : failures) {
      int number = failure.tasks().size();
      open("failures", "Failures");
      beginRedrive(failure);
      confirm("It runs %d tasks of 5 tenants again at once.".formatted(number), number);
      expected.addAll(failure.tasks());
    }
    assertThat(tasks.succeed(expected.size())).isEqualTo(expected);
  }

  private void beginRedrive(Failure failure) {
    hands.choose("td a[href*='fingerprint=%d&']".formatted(tasks.fingerprint(failure)));
    browser.await("a form", () -> browser.heading().equals("Run dead tasks again"));
  }

  /** Confirms what the preview says, and follows the operation to its end. */
  private void confirm(String preview, int number) {
    browser.await(preview, () -> browser.find("#page").getText().contains(preview));
    hands.choose("form[method=post] button");
    browser.await("it begins", () -> browser.heading().startsWith("redrive "));
    browser.await(
        "it ends",
        () -> {
          hands.look();
          return browser.figure("state").equals("done");
        });
    for (String figure : List.of("tasks", "counted before")) {
      assertThat(browser.figure(figure)).as(figure).isEqualTo(Integer.toString(number));
    }
    assertThat(browser.figure("by")).isEqualTo("operator");
  }
}
