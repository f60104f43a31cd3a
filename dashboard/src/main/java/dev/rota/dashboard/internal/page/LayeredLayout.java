package dev.rota.dashboard.internal.page;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Places the vertices of an acyclic graph on layers, so that edges lead down and cross seldom. It
 * follows K. Sugiyama, S. Tagawa and M. Toda, Methods for Visual Understanding of Hierarchical
 * System Structures, IEEE Transactions on Systems, Man, and Cybernetics, 1981: layers by longest
 * paths, bends where an edge passes layers, and an order by barycentres. Used by one thread.
 */
final class LayeredLayout {

  private static final int SWEEPS = 8;

  private final List<List<Integer>> above = new ArrayList<>();
  private final List<List<Integer>> below = new ArrayList<>();
  private final List<Integer> layers = new ArrayList<>();
  private final List<List<Integer>> order = new ArrayList<>();
  private final List<List<Integer>> paths = new ArrayList<>();
  private double[] columns = new double[0];

  /** An edge between vertices, by their numbers from 0 on. */
  record Edge(int from, int to) {}

  /** A place; the columns of each layer have 0 in their middle. */
  record Place(int layer, double column) {}

  /**
   * The places.
   *
   * @param vertices the place of each vertex
   * @param edges the places that each edge leads through, from its beginning to its end
   */
  record Places(List<Place> vertices, List<List<Place>> edges) {}

  private LayeredLayout() {}

  /** Places a graph, which must have no cycle. */
  static Places of(int vertices, List<Edge> edges) {
    LayeredLayout layout = new LayeredLayout();
    List<Integer> layerOf = layers(vertices, edges);
    IntStream.range(0, vertices).forEach(vertex -> layout.add(layerOf.get(vertex)));
    edges.forEach(layout::connect);
    layout.arrange();
    return new Places(
        IntStream.range(0, vertices).mapToObj(layout::place).toList(),
        layout.paths.stream().map(path -> path.stream().map(layout::place).toList()).toList());
  }

  /** The layer of each vertex: the length of the longest path that leads to it. */
  static List<Integer> layers(int vertices, List<Edge> edges) {
    int[] layer = new int[vertices];
    int[] missing = new int[vertices];
    List<List<Integer>> children = new ArrayList<>();
    IntStream.range(0, vertices).forEach(vertex -> children.add(new ArrayList<>()));
    for (Edge edge : edges) {
      children.get(edge.from).add(edge.to);
      missing[edge.to]++;
    }
    Deque<Integer> free = new ArrayDeque<>();
    IntStream.range(0, vertices).filter(vertex -> missing[vertex] == 0).forEach(free::add);
    while (!free.isEmpty()) {
      int vertex = free.remove();
      for (int child : children.get(vertex)) {
        layer[child] = Math.max(layer[child], layer[vertex] + 1);
        if (--missing[child] == 0) {
          free.add(child);
        }
      }
    }
    return IntStream.of(layer).boxed().toList();
  }

  private int add(int layer) {
    int vertex = layers.size();
    layers.add(layer);
    above.add(new ArrayList<>());
    below.add(new ArrayList<>());
    while (order.size() <= layer) {
      order.add(new ArrayList<>());
    }
    order.get(layer).add(vertex);
    return vertex;
  }

  /** Connects two vertices, with a bend on each layer between them. */
  private void connect(Edge edge) {
    List<Integer> path = new ArrayList<>(List.of(edge.from));
    for (int layer = layers.get(edge.from) + 1; layer < layers.get(edge.to); layer++) {
      path.add(add(layer));
    }
    path.add(edge.to);
    for (int i = 1; i < path.size(); i++) {
      below.get(path.get(i - 1)).add(path.get(i));
      above.get(path.get(i)).add(path.get(i - 1));
    }
    paths.add(path);
  }

  private void arrange() {
    columns = new double[layers.size()];
    order.forEach(this::spread);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      boolean down = sweep % 2 == 0;
      for (int i = 1; i < order.size(); i++) {
        List<Integer> layer = order.get(down ? i : order.size() - 1 - i);
        List<List<Integer>> neighbours = down ? above : below;
        layer.sort(Comparator.comparingDouble(vertex -> centre(vertex, neighbours.get(vertex))));
        spread(layer);
      }
    }
  }

  /** The mean column of neighbours; a vertex without any stays where it is. */
  private double centre(int vertex, List<Integer> neighbours) {
    return neighbours.stream().mapToDouble(each -> columns[each]).average().orElse(columns[vertex]);
  }

  private void spread(List<Integer> layer) {
    for (int i = 0; i < layer.size(); i++) {
      columns[layer.get(i)] = i - (layer.size() - 1) / 2.0;
    }
  }

  private Place place(int vertex) {
    return new Place(layers.get(vertex), columns[vertex]);
  }
}
