package dev.rota.dashboard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The elements of a page and its texts. It reads strictly: each sign of markup must belong to an
 * element, attribute or entity as the templates write them.
 */
final class PageOutline {

  private static final String NAME = "[a-z][a-zA-Z0-9-]*";
  private static final Pattern PART =
      Pattern.compile(
          "<!DOCTYPE html>|</(?<end>%1$s)>|<(?<begin>%1$s)(?<attributes>(?: [^<>\"']+(?:\"[^\"<]*\"|'[^'<]*')?)*)>|(?<text>[^<]+)"
              .formatted(NAME));
  private static final Pattern ATTRIBUTE =
      Pattern.compile(
          " (?<name>%s)(?:=(?:\"(?<double>[^\"]*)\"|'(?<single>[^']*)'))?".formatted(NAME));
  private static final Pattern ENTITY = Pattern.compile("&(?:(lt|gt|amp|quot)|#(34|39));|&");
  private static final Pattern OWN_ADDRESS = Pattern.compile("#content|/ops/rota(?:[?/](?!/).*)?");
  private static final Pattern SCHEME = Pattern.compile("([a-z]+:).*", Pattern.DOTALL);

  private static final Set<String> VOID = Set.of("meta", "link", "input");
  private static final Set<String> ADDRESSES =
      Set.of("href", "src", "action", "hx-get", "data-address");

  /** Attributes whose values are texts of users. */
  private static final Set<String> TEXTS = Set.of("value", "title", "aria-label");

  private static final Set<String> NUMBERS = Set.of("x", "y", "height");

  private final Set<String> shapes = new TreeSet<>();
  private final Set<String> fields = new TreeSet<>();
  private final List<String> links = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final Deque<String> open = new ArrayDeque<>();

  /** Reads a page; fails at what no template writes. */
  static PageOutline of(String page) {
    PageOutline outline = new PageOutline();
    Matcher part = PART.matcher(page);
    int at = 0;
    while (at < page.length()) {
      if (!part.region(at, page.length()).lookingAt()) {
        throw markup(page.substring(at, Math.min(page.length(), at + 200)));
      }
      outline.add(part);
      at = part.end();
    }
    if (!outline.open.isEmpty()) {
      throw markup("the end, within " + outline.open);
    }
    return outline;
  }

  private static AssertionError markup(String text) {
    return new AssertionError("no template writes this: " + text);
  }

  private void add(Matcher part) {
    if (part.group("text") != null) {
      texts.add(plain(part.group("text")));
    } else if (part.group("begin") != null) {
      begin(part.group("begin"), part.group("attributes"));
    } else if (part.group("end") != null && !part.group("end").equals(open.pollLast())) {
      throw markup(part.group());
    }
  }

  private void begin(String element, String attributes) {
    StringBuilder shape = new StringBuilder(String.join(">", open)).append('>').append(element);
    Matcher attribute = ATTRIBUTE.matcher(attributes);
    int at = 0;
    while (at < attributes.length()) {
      if (!attribute.region(at, attributes.length()).lookingAt()) {
        throw markup(element + attributes);
      }
      shape.append(' ').append(attribute(element, attribute));
      at = attribute.end();
    }
    shapes.add(shape.toString());
    if (!VOID.contains(element)) {
      open.addLast(element);
    }
  }

  /** An attribute with its value, unless that is a text of a user. */
  private String attribute(String element, Matcher attribute) {
    String name = attribute.group("name");
    String quoted =
        Optional.ofNullable(attribute.group("double")).orElse(attribute.group("single"));
    String value = quoted == null ? "" : plain(quoted);
    if (name.equals("name")) {
      fields.add(value);
    }
    if (ADDRESSES.contains(name)) {
      if (element.equals("a")) {
        links.add(value);
      }
      return name + "=" + place(value);
    } else if (TEXTS.contains(name)) {
      texts.add(value);
      return name;
    }
    return quoted == null || NUMBERS.contains(name) ? name : name + "=" + value;
  }

  /** Where an address leads: to this dashboard, or by which scheme. */
  private static String place(String address) {
    if (OWN_ADDRESS.matcher(address).matches()) {
      return "own";
    }
    Matcher scheme = SCHEME.matcher(address);
    if (!scheme.matches()) {
      throw markup("an address that leads to " + address);
    }
    return scheme.group(1);
  }

  private static String plain(String escaped) {
    return ENTITY.matcher(escaped).replaceAll(PageOutline::character);
  }

  private static String character(MatchResult entity) {
    String name = entity.group(1) == null ? entity.group(2) : entity.group(1);
    if (name == null) {
      throw markup("an & that is not escaped");
    }
    return switch (name) {
      case "lt" -> "<";
      case "gt" -> ">";
      case "amp" -> "&";
      case "39" -> "'";
      default -> "\"";
    };
  }

  /**
   * The elements, each with those around it, its attributes, and their values unless these vary.
   */
  Set<String> shapes() {
    return shapes;
  }

  /** The names of fields of forms. */
  Set<String> fields() {
    return fields;
  }

  /** The addresses of links. */
  List<String> links() {
    return links;
  }

  /** The texts, and the values of attributes that are texts. */
  List<String> texts() {
    return texts;
  }
}
