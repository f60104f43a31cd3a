package dev.rota.dashboard.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.dashboard.internal.page.LayeredLayout.Edge;
import dev.rota.dashboard.internal.page.LayeredLayout.Place;
import dev.rota.dashboard.internal.page.LayeredLayout.Places;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests where the vertices of pictures are. */
class LayeredLayoutTest {

  @Test
  void aDiamondHasThreeLayers() {
    Places places =
        LayeredLayout.of(
            4, List.of(new Edge(0, 1), new Edge(0, 2), new Edge(1, 3), new Edge(2, 3)));
    assertThat(places.vertices().stream().map(Place::layer)).containsExactly(0, 1, 1, 2);
    assertThat(places.vertices().get(0).column()).isZero();
    assertThat(places.vertices().get(3).column()).isZero();
    assertThat(places.vertices().get(1).column() + places.vertices().get(2).column()).isZero();
  }

  @Test
  void anEdgeThatPassesALayerBendsThere() {
    Places places = LayeredLayout.of(3, List.of(new Edge(0, 1), new Edge(1, 2), new Edge(0, 2)));
    assertThat(places.edges().get(2)).hasSize(3);
    assertThat(places.edges().get(2).get(1)).isNotEqualTo(places.vertices().get(1));
  }

  @Test
  void edgesThatNeedNotCrossDoNot() {
    List<Edge> crossed = List.of(new Edge(0, 5), new Edge(1, 4), new Edge(2, 3));
    Places places = LayeredLayout.of(6, crossed);
    for (Edge edge : crossed) {
      assertThat(places.vertices().get(edge.to()).column())
          .isEqualTo(places.vertices().get(edge.from()).column());
    }
  }

  @Test
  void verticesWithoutEdgesStandSideBySide() {
    Places places = LayeredLayout.of(3, List.of());
    assertThat(places.vertices())
        .containsExactly(new Place(0, -1), new Place(0, 0), new Place(0, 1));
    assertThat(LayeredLayout.of(0, List.of()).vertices()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void noTwoStandOnOnePlaceAndEdgesLeadDown(int seed) {
    Random random = new Random(seed);
    List<Edge> edges =
        IntStream.range(0, 120)
            .mapToObj(i -> random.ints(2, 0, 60).sorted().toArray())
            .filter(ends -> ends[0] < ends[1])
            .map(ends -> new Edge(ends[0], ends[1]))
            .distinct()
            .toList();
    Places places = LayeredLayout.of(60, edges);
    assertThat(new HashSet<>(places.vertices())).hasSize(60);
    places
        .edges()
        .forEach(
            path -> {
              for (int i = 1; i < path.size(); i++) {
                assertThat(path.get(i).layer()).isEqualTo(path.get(i - 1).layer() + 1);
              }
            });
  }
}
