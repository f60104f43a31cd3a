package dev.rota.dashboard.browser;

import java.util.Collections;
import java.util.List;

/** The chart of the page that a browser shows. */
public record BrowserChart(Browser browser) {

  /** Calls back with the columns of numbers at the address of the chart; none if it fails. */
  private static final String COLUMNS =
      """
      const done = arguments[0];
      fetch(document.getElementById("chart").dataset.address)
        .then((answer) => answer.json())
        .then(done, () => done([[], [], []]));
      """;

  /** Waits until the script has drawn it. */
  public void await() {
    browser.await("the chart is drawn", () -> !browser.all("#chart canvas").isEmpty());
  }

  /** All that is drawn. */
  public Object picture() {
    return browser.value("document.querySelector('#chart canvas').toDataURL()");
  }

  /** For how many points in time it has numbers. */
  public int points() {
    return column(columns(), 0).size();
  }

  /** At how many of them tasks began. */
  public long busyPoints() {
    return busyPoints(columns());
  }

  /** Whether tasks began at so many of them, and arrive at half the highest rate or more. */
  public boolean isBusy(int points) {
    List<?> columns = columns();
    List<Double> arrived = column(columns, 1);
    return busyPoints(columns) >= points
        && arrived.get(arrived.size() - 1) > Collections.max(arrived) / 2;
  }

  private static long busyPoints(List<?> columns) {
    return column(columns, 2).stream().filter(rate -> rate > 0).count();
  }

  private List<?> columns() {
    return (List<?>) browser.driver().executeAsyncScript(COLUMNS);
  }

  private static List<Double> column(List<?> columns, int number) {
    return ((List<?>) columns.get(number))
        .stream().map(value -> ((Number) value).doubleValue()).toList();
  }
}
