package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Follows all links of a dashboard from its first page on, and keeps what the pages of each path
 * consist of.
 */
final class Crawler {

  private static final String MOUNT = "/ops/rota";

  /** How many pages of a path and the same parameters are read; of forms of actions fewer. */
  private static final int MOST_ALIKE = 40;

  private static final int MOST_FORMS = 6;

  private final Browsing browsing;
  private final Deque<String> next = new ArrayDeque<>(List.of(MOUNT + "/"));
  private final Set<String> seen = new HashSet<>(next);
  private final Map<String, Set<String>> shapes = new TreeMap<>();
  private final Map<String, Set<String>> texts = new TreeMap<>();
  private final Map<String, Set<String>> parameters = new TreeMap<>();
  private final Map<String, Integer> alike = new TreeMap<>();
  private int pages;

  Crawler(Browsing browsing) {
    this.browsing = browsing;
  }

  /** Follows the links until all lead to pages that were read. */
  Crawler crawl() {
    while (!next.isEmpty()) {
      visit(next.removeFirst());
    }
    return this;
  }

  private void visit(String address) {
    pages++;
    int query = address.indexOf('?');
    String path = address.substring(MOUNT.length(), query < 0 ? address.length() : query);
    List<String> named = query < 0 ? List.of() : decoded(address.substring(query + 1));
    DashboardResponse answer = browsing.whole(path, named.toArray(String[]::new));
    assertThat(answer.status()).as(address).isEqualTo(200);
    for (int i = 0; i < named.size(); i += 2) {
      parameters(path).add(named.get(i));
    }
    if (answer.headers().getOrDefault("Content-Type", "").startsWith("text/html")) {
      keep(path, read(address, answer));
    }
  }

  private static PageOutline read(String address, DashboardResponse answer) {
    try {
      return PageOutline.of(Browsing.text(answer));
    } catch (AssertionError e) {
      throw new AssertionError(address + ": " + e.getMessage(), e);
    }
  }

  private void keep(String path, PageOutline page) {
    add(path, page);
    texts.computeIfAbsent(path, unused -> new HashSet<>()).addAll(page.texts());
    for (String link : page.links()) {
      // Pages that do not renew themselves are the same.
      if (link.startsWith(MOUNT + "/") && !link.contains("live=") && seen.add(link)) {
        follow(link);
      }
    }
  }

  private void follow(String link) {
    String sort = link.replaceAll("=[^&]*", "");
    int most = link.startsWith(MOUNT + "/actions/") ? MOST_FORMS : MOST_ALIKE;
    if (alike.merge(sort, 1, Integer::sum) <= most) {
      next.addLast(link);
    }
  }

  /** Keeps what a page of a path consists of. */
  void add(String path, PageOutline page) {
    shapes.computeIfAbsent(path, unused -> new TreeSet<>()).addAll(page.shapes());
    parameters(path).addAll(page.fields());
  }

  private static List<String> decoded(String query) {
    List<String> named = new ArrayList<>();
    for (String part : query.split("&", -1)) {
      for (String each : part.split("=", 2)) {
        named.add(URLDecoder.decode(each, StandardCharsets.UTF_8));
      }
    }
    return named;
  }

  /** How many pages were read. */
  int pages() {
    return pages;
  }

  /** The paths that links lead to. */
  Set<String> paths() {
    return shapes.keySet();
  }

  /** What the pages of a path consist of. */
  Set<String> shapes(String path) {
    return shapes.getOrDefault(path, Set.of());
  }

  /** The texts on the pages of a path. */
  Set<String> texts(String path) {
    return texts.getOrDefault(path, Set.of());
  }

  /** The names of parameters in addresses of a path, and of fields in the forms there. */
  Set<String> parameters(String path) {
    return parameters.computeIfAbsent(path, unused -> new TreeSet<>());
  }
}
