package dev.rota.dashboard.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.dashboard.internal.view.View.Node;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which texts become trees, and how large these may be. */
class JsonTreeTest {

  private static Node tree(String text) {
    return JsonTree.of(text).orElseThrow();
  }

  /** A tree on one line. */
  private static String line(Node node) {
    String name = node.name().isEmpty() ? "" : node.name() + "=";
    return name
        + node.value()
        + (node.members().isEmpty()
            ? ""
            : node.members().stream().map(JsonTreeTest::line).toList());
  }

  @Test
  void objectsAndArraysAreNested() {
    String text =
        " {\"to\": \"ann\", \"lines\":[1,-2.5e3],\"no\":{},\"none\":[ ],\"ok\":true,\"nil\":null}\n";
    assertThat(line(tree(text)))
        .isEqualTo(
            "6 members[to=\"ann\", lines=2 items[0=1, 1=-2.5e3], no={}, none=[], ok=true,"
                + " nil=null]");
    assertThat(line(tree("[[]]"))).isEqualTo("1 item[0=[]]");
  }

  @Test
  void signsWithinStringsMeanNothing() {
    assertThat(line(tree("{\"a\\\"}\":\"b, {c}: \\\\\",\"<b>\":\"\\u00e9\"}")))
        .isEqualTo("2 members[a\\\"}=\"b, {c}: \\\\\", <b>=\"\\u00e9\"]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "text",
        "17",
        "\"text\"",
        "{",
        "[",
        "}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{a:1}",
        "[1,]",
        "[1 2]",
        "[1}",
        "{\"a\":1]",
        "{\"a\":1}}",
        "[1] x",
        "[\"a]",
        "[\"a\\",
        "[01]",
        "[+1]",
        "[tru]",
        "[,]",
        "[:]",
        "{{x}}",
        "{1:2}",
        "[1",
        "{\"a\":1,}",
        "<b>"
      })
  void otherTextsStayTexts(String text) {
    assertThat(JsonTree.of(text)).isEmpty();
  }

  @Test
  void largeOnesAreFolded() {
    Node tree = tree("{\"few\":[1,2],\"many\":" + array(40) + ",\"deep\":[[[1]]]}");
    assertThat(tree.open()).isTrue();
    assertThat(tree.members()).extracting(Node::open).containsExactly(true, false, true);
    assertThat(tree.members().get(2).members().get(0).open()).isFalse();
    assertThat(tree(array(40)).open()).as("the first is open").isTrue();
  }

  private static String array(int items) {
    return IntStream.range(0, items)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(",", "[", "]"));
  }

  @Test
  void atMostAThousandNodesAreShown() {
    Node tree = tree("[" + array(10) + "," + array(2_000) + ",{\"a\":[\"]\"]}]");
    assertThat(tree.value()).isEqualTo("3 items");
    Node large = tree.members().get(1);
    assertThat(large.value()).isEqualTo("2,000 items");
    assertThat(count(tree)).as("with two lines about the rest").isEqualTo(JsonTree.MOST_NODES + 2);
    assertThat(last(large).value()).isEqualTo("… 1,013 more");
    assertThat(last(tree).value()).isEqualTo("… 1 more");
  }

  private static Node last(Node node) {
    return node.members().get(node.members().size() - 1);
  }

  private static int count(Node node) {
    return 1 + node.members().stream().mapToInt(JsonTreeTest::count).sum();
  }

  @Test
  void whatIsTooDeepStaysText() {
    int depth = 100_000;
    String inner = "[".repeat(depth) + "\"]\"" + "]".repeat(depth);
    Node deepest = tree(inner);
    List<Node> members = deepest.members();
    while (!members.isEmpty()) {
      deepest = members.get(0);
      members = deepest.members();
    }
    int shown = depth - JsonTree.DEEPEST;
    assertThat(deepest.value()).isEqualTo("[".repeat(shown) + "\"]\"" + "]".repeat(shown));
    assertThat(JsonTree.of("[".repeat(depth))).isEmpty();
    assertThat(JsonTree.of("[" + "\"" + "\\n".repeat(depth) + "\"]")).isPresent();
    assertThat(tree("[" + String.join(",", Collections.nCopies(depth, "\"x\"")) + "]").value())
        .isEqualTo("100,000 items");
  }
}
