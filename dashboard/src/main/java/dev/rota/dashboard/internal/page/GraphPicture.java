package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.page.LayeredLayout.Edge;
import dev.rota.dashboard.internal.page.LayeredLayout.Place;
import dev.rota.dashboard.internal.page.LayeredLayout.Places;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View.Box;
import dev.rota.dashboard.internal.view.View.Picture;
import dev.rota.graph.GraphNode;
import dev.rota.graph.NodeState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Draws the tasks of a graph. Where many have the same depth, those of one state become one box.
 * Used by one thread.
 */
final class GraphPicture {

  private static final int MOST_SIDE_BY_SIDE = 12;
  private static final int MOST_LETTERS = 17;
  private static final int WIDTH = 128;
  private static final int HEIGHT = 40;
  private static final int ACROSS = WIDTH + 16;
  private static final int DOWN = HEIGHT + 44;

  private final List<GraphNode> nodes;
  private final List<List<GraphNode>> boxes = new ArrayList<>();
  private final Map<Long, Integer> boxOf = new HashMap<>();

  private GraphPicture(List<GraphNode> nodes) {
    this.nodes = nodes;
  }

  /** Draws tasks; each links to its page. */
  static Picture of(List<GraphNode> nodes, LongFunction<String> links) {
    return new GraphPicture(nodes).draw(links);
  }

  private Picture draw(LongFunction<String> links) {
    fold();
    List<Edge> edges = edges(boxOf);
    Places places = LayeredLayout.of(boxes.size(), edges);
    double middle =
        Stream.concat(places.vertices().stream(), places.edges().stream().flatMap(List::stream))
            .mapToDouble(place -> Math.abs(place.column()))
            .max()
            .orElse(0);
    int depth = places.vertices().stream().mapToInt(Place::layer).max().orElse(0);
    List<Box> drawn = new ArrayList<>();
    for (int i = 0; i < boxes.size(); i++) {
      drawn.add(box(boxes.get(i), places.vertices().get(i), middle, links));
    }
    return new Picture(
        "Tasks, each below those that it depends on",
        new Picture.Size((int) ((2 * middle + 1) * ACROSS), (depth + 1) * DOWN),
        drawn,
        places.edges().stream().map(path -> line(path, middle)).toList());
  }

  private void fold() {
    Map<Long, Integer> positions = new HashMap<>();
    nodes.forEach(node -> positions.put(node.taskId(), positions.size()));
    List<Integer> layers = LayeredLayout.layers(nodes.size(), edges(positions));
    Map<Integer, List<GraphNode>> byLayer = new TreeMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      byLayer.computeIfAbsent(layers.get(i), unused -> new ArrayList<>()).add(nodes.get(i));
    }
    byLayer.values().forEach(this::foldLayer);
  }

  private void foldLayer(List<GraphNode> layer) {
    if (layer.size() <= MOST_SIDE_BY_SIDE) {
      layer.forEach(node -> addBox(List.of(node)));
      return;
    }
    Map<NodeState, List<GraphNode>> byState = new EnumMap<>(NodeState.class);
    layer.forEach(n -> byState.computeIfAbsent(n.state(), unused -> new ArrayList<>()).add(n));
    byState.values().forEach(this::addBox);
  }

  private void addBox(List<GraphNode> content) {
    content.forEach(node -> boxOf.put(node.taskId(), boxes.size()));
    boxes.add(content);
  }

  /** The dependencies between tasks, whose numbers are these. */
  private List<Edge> edges(Map<Long, Integer> numbers) {
    Set<Edge> edges = new LinkedHashSet<>();
    for (GraphNode node : nodes) {
      Integer from = numbers.get(node.taskId());
      for (long child : node.children()) {
        Integer to = numbers.get(child);
        if (from != null && to != null) {
          edges.add(new Edge(from, to));
        }
      }
    }
    return List.copyOf(edges);
  }

  private static Box box(
      List<GraphNode> content, Place place, double middle, LongFunction<String> links) {
    GraphNode first = content.get(0);
    String state = Constants.nameOf(first.state());
    boolean single = content.size() == 1;
    String name = single ? first.kind().orElse("task " + first.taskId()) : "";
    @Nullable String href = single ? links.apply(first.taskId()) : null;
    return new Box(
        new Box.Corner((int) (x(place, middle) - WIDTH / 2.0), (int) (y(place) - HEIGHT / 2.0)),
        single ? cut(name) : Show.count(content.size()) + " tasks",
        state,
        href,
        single ? name + ", task " + first.taskId() + ", " + state : "");
  }

  private static String cut(String name) {
    return name.length() <= MOST_LETTERS ? name : name.substring(0, MOST_LETTERS - 1) + "…";
  }

  /** A line through places, which leaves and reaches boxes from above. */
  private static String line(List<Place> path, double middle) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < path.size(); i++) {
      Place place = path.get(i);
      double half = i == 0 ? HEIGHT / 2.0 : i == path.size() - 1 ? -HEIGHT / 2.0 : 0;
      String point = String.format(Locale.ROOT, "%.0f %.0f", x(place, middle), y(place) + half);
      line.append(i == 0 ? "M" : " L").append(point);
    }
    return line.toString();
  }

  private static double x(Place place, double middle) {
    return (place.column() + middle + 0.5) * ACROSS;
  }

  private static double y(Place place) {
    return (place.layer() + 0.5) * DOWN;
  }
}
