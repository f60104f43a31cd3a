package dev.rota.benchmarks.load.report;

import java.io.StringWriter;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGGraphics2DIOException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/**
 * Draws charts as SVG. Letters become outlines, so they look the same with any fonts of the reader;
 * a title describes the chart for screen readers.
 */
final class SvgWriter {

  private static final String NAMESPACE = "http://www.w3.org/2000/svg";
  private static final int DECIMALS = 2;

  private SvgWriter() {}

  /** Formats a chart as one element {@code svg}, for a separate file or a page. */
  static String svg(Chart chart) {
    Document document = emptyDocument();
    SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
    context.setPrecision(DECIMALS);
    context.setComment(null);
    SVGGraphics2D graphics = new SVGGraphics2D(context, false);
    chart.drawing().paint(graphics, ChartStyle.WIDTH, ChartStyle.HEIGHT);
    return written(graphics, describe(graphics.getRoot(), chart));
  }

  private static Element describe(Element root, Chart chart) {
    root.setAttribute("viewBox", "0 0 " + ChartStyle.WIDTH + " " + ChartStyle.HEIGHT);
    root.setAttribute("role", "img");
    Element title = root.getOwnerDocument().createElementNS(NAMESPACE, "title");
    title.setTextContent(chart.drawing().getTitle() + ". " + chart.caption());
    root.insertBefore(title, root.getFirstChild());
    return root;
  }

  private static String written(SVGGraphics2D graphics, Element root) {
    StringWriter writer = new StringWriter();
    try {
      graphics.stream(root, writer, true, false);
    } catch (SVGGraphics2DIOException e) {
      throw new IllegalStateException("a chart cannot be written", e);
    }
    String text = writer.toString();
    return text.substring(text.indexOf("<svg"));
  }

  private static Document emptyDocument() {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .getDOMImplementation()
          .createDocument(NAMESPACE, "svg", null);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("this Java has no XML parser", e);
    }
  }
}
