package dev.rota.benchmarks.load.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The style of all charts. */
final class ChartStyle {

  static final int WIDTH = 860;
  static final int HEIGHT = 360;

  private static final Font FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  private static final Color INK = new Color(0x24292f);
  private static final Color GRID = new Color(0xe1e4e8);

  /** Colours that colour-blind people can distinguish as well (the palette of Okabe and Ito). */
  private static final Color[] COLORS = {
    new Color(0x0072b2), new Color(0xd55e00), new Color(0x009e73), new Color(0xcc79a7)
  };

  private static final double HEADROOM = 1.08;

  private ChartStyle() {}

  static XYChart chart(String title, String xTitle, String yTitle) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(xTitle)
            .yAxisTitle(yTitle)
            .build();
    style(chart.getStyler());
    return chart;
  }

  /** Adds a curve; distant points get a marker each. */
  static void addCurve(XYChart chart, String name, List<Double> x, List<Double> y) {
    addCurve(chart, name, x, y, SeriesMarkers.NONE);
  }

  static void addPoints(XYChart chart, String name, List<Double> x, List<Double> y) {
    addCurve(chart, name, x, y, SeriesMarkers.CIRCLE);
  }

  /** Makes the axis begin at zero, so that heights can be compared. */
  static void beginAtZero(XYChart chart) {
    double highest =
        chart.getSeriesCollection().stream().mapToDouble(XYSeries::getYMax).max().orElse(1);
    chart.getStyler().setYAxisMin(0.0).setYAxisMax(Math.max(1e-3, HEADROOM * highest));
  }

  /**
   * Sets a logarithmic axis with whole powers of ten, so that every line of the grid has its label.
   */
  static void logarithmic(XYChart chart) {
    double lowest =
        chart.getSeriesCollection().stream().mapToDouble(XYSeries::getYMin).min().orElse(1);
    double highest =
        chart.getSeriesCollection().stream().mapToDouble(XYSeries::getYMax).max().orElse(10);
    double floor = Math.floor(Math.log10(lowest));
    double ceiling = Math.max(floor + 1, Math.ceil(Math.log10(highest)));
    chart.getStyler().setYAxisLogarithmic(true).setYAxisLogarithmicDecadeOnly(true);
    chart.getStyler().setYAxisMin(Math.pow(10, floor)).setYAxisMax(Math.pow(10, ceiling));
  }

  /** Shortens a number: 1,200,000 as 1.2M, 45,000 as 45k. */
  static String shortened(double number) {
    if (number >= 1e6) {
      return exact(number / 1e6) + "M";
    }
    return number >= 1e4 ? exact(number / 1e3) + "k" : exact(number);
  }

  /** Formats a number without trailing zeros. */
  static String exact(double number) {
    BigDecimal rounded = BigDecimal.valueOf(number).setScale(6, RoundingMode.HALF_UP);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }

  private static void addCurve(
      XYChart chart, String name, List<Double> x, List<Double> y, Marker marker) {
    if (!x.isEmpty()) {
      chart.addSeries(name, x, y).setMarker(marker);
    }
  }

  private static void style(XYStyler styler) {
    styler.setAxisTitleFont(FONT).setAxisTickLabelsFont(FONT.deriveFont(11f));
    styler.setPlotGridLinesColor(GRID).setPlotGridLinesStroke(new BasicStroke(1));
    styler.setPlotGridVerticalLinesVisible(false);
    styler.setAxisTickMarksColor(GRID).setAxisTickLabelsColor(INK);
    styler.setXAxisMaxLabelCount(16).setYAxisTickLabelsFormattingFunction(ChartStyle::shortened);
    styler.setBaseFont(FONT).setChartTitleFont(FONT.deriveFont(Font.BOLD, 15f));
    styler.setChartFontColor(INK).setChartBackgroundColor(Color.WHITE).setChartPadding(12);
    styler.setPlotBorderVisible(false).setLegendBorderColor(Color.WHITE);
    styler.setLegendPosition(LegendPosition.OutsideS).setLegendLayout(LegendLayout.Horizontal);
    styler.setSeriesColors(COLORS).setSeriesLines(lines()).setMarkerSize(7).setLocale(Locale.ROOT);
  }

  private static BasicStroke[] lines() {
    BasicStroke line = new BasicStroke(1.8f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    return new BasicStroke[] {line, line, line, line};
  }
}
