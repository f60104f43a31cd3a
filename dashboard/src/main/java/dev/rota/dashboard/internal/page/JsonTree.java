package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads texts that are objects or arrays of JSON as trees, so that they can be read and folded.
 * Names and values stay as they stand in the text. Used by one thread.
 */
final class JsonTree {

  /** How many nodes of a text are shown. */
  static final int MOST_NODES = 1_000;

  /** How deep they are nested; what is deeper is shown as text. */
  static final int DEEPEST = 20;

  private static final int DEEPEST_OPEN = 2;
  private static final int MOST_OPEN = 30;
  private static final Pattern WORD =
      Pattern.compile("true|false|null|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");

  private final String text;
  private final Matcher word;
  private int at;
  private int nodes;

  private JsonTree(String text) {
    this.text = text;
    this.word = WORD.matcher(text);
  }

  /** A text is no JSON. */
  private static final class NoJsonException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NoJsonException() {
      super("no JSON", null, false, false);
    }
  }

  /** The tree of an object or array; empty if the text is another one. */
  static Optional<Node> of(String text) {
    JsonTree tree = new JsonTree(text);
    try {
      return "{[".indexOf(tree.next()) < 0 ? Optional.empty() : Optional.of(tree.whole());
    } catch (NoJsonException e) {
      return Optional.empty();
    }
  }

  private Node whole() {
    Node root = value("", 0);
    skipSpace();
    if (at < text.length()) {
      throw new NoJsonException();
    }
    return root;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  /** The next character that is no space, which stays the next one. */
  private char next() {
    skipSpace();
    if (at == text.length()) {
      throw new NoJsonException();
    }
    return text.charAt(at);
  }

  private boolean takes(char wanted) {
    boolean found = next() == wanted;
    at += found ? 1 : 0;
    return found;
  }

  private void take(char wanted) {
    if (!takes(wanted)) {
      throw new NoJsonException();
    }
  }

  private Node value(String name, int depth) {
    nodes++;
    boolean isContainer = "{[".indexOf(next()) >= 0;
    return isContainer && depth < DEEPEST ? container(name, depth) : leaf(name);
  }

  private Node leaf(String name) {
    return new Node(name, skipped(), List.of(), false);
  }

  private Node container(String name, int depth) {
    boolean isObject = takes('{');
    if (!isObject) {
      take('[');
    }
    char end = isObject ? '}' : ']';
    List<Node> members = new ArrayList<>();
    int all = 0;
    if (!takes(end)) {
      do {
        String member = isObject ? name() : Integer.toString(all);
        if (nodes < MOST_NODES) {
          members.add(value(member, depth + 1));
        } else {
          var unused = skipped();
        }
        all++;
      } while (takes(','));
      take(end);
    }
    return container(name, isObject, members, all, depth);
  }

  private static Node container(
      String name, boolean isObject, List<Node> members, int all, int depth) {
    if (all == 0) {
      return new Node(name, isObject ? "{}" : "[]", List.of(), false);
    }
    List<Node> shown = new ArrayList<>(members);
    if (members.size() < all) {
      shown.add(new Node("", "… " + Show.count(all - members.size()) + " more", List.of(), false));
    }
    String what = isObject ? "member" : "item";
    String number = Show.count(all) + " " + what + (all == 1 ? "" : "s");
    return new Node(name, number, shown, depth == 0 || isOpen(all, depth));
  }

  private static boolean isOpen(int members, int depth) {
    return depth < DEEPEST_OPEN && members <= MOST_OPEN;
  }

  private String name() {
    if (next() != '"') {
      throw new NoJsonException();
    }
    int begin = at + 1;
    skipString();
    String name = text.substring(begin, at - 1);
    take(':');
    return name;
  }

  /** The text of the next value, which is skipped. Its brackets match by number alone. */
  private String skipped() {
    skipSpace();
    int begin = at;
    int depth = 0;
    do {
      depth += step(depth > 0);
    } while (depth > 0);
    if (depth < 0) {
      throw new NoJsonException();
    }
    return text.substring(begin, at);
  }

  /** Skips a bracket, a string, a word, or a sign between values; returns how much deeper it is. */
  private int step(boolean between) {
    char character = next();
    if (character == '"') {
      skipString();
      return 0;
    }
    int deeper = "{[".indexOf(character) >= 0 ? 1 : "}]".indexOf(character) >= 0 ? -1 : 0;
    if (deeper != 0 || (between && ",:".indexOf(character) >= 0)) {
      at++;
    } else {
      skipWord();
    }
    return deeper;
  }

  private void skipWord() {
    if (!word.region(at, text.length()).lookingAt()) {
      throw new NoJsonException();
    }
    at = word.end();
  }

  /** By hand: a regular expression would go as deep as the string is long. */
  private void skipString() {
    at++;
    while (at < text.length() && text.charAt(at) != '"') {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    if (at >= text.length()) {
      throw new NoJsonException();
    }
    at++;
  }
}
