package dev.rota.benchmarks.load.report;

import org.knowm.xchart.XYChart;

/**
 * A chart of a report.
 *
 * @param file the name of its file, without extension
 * @param caption the caption
 * @param drawing the chart
 */
record Chart(String file, String caption, XYChart drawing) {

  Chart withPrefix(String prefix) {
    return new Chart(prefix + file, caption, drawing);
  }
}
