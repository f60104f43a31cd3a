package dev.rota.dashboard.internal;

import dev.rota.dashboard.DashboardRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Makes the addresses of pages. Filters stand in the address, so that it can be passed on. */
final class Links {

  /** The parameter that says whether pages renew themselves. All pages keep it. */
  static final String LIVE = "live";

  private final String mount;
  private final String path;
  private final Map<String, String> parameters;

  Links(DashboardRequest request) {
    this(request.location().mount(), request.location().path(), request.parameters());
  }

  private Links(String mount, String path, Map<String, String> parameters) {
    this.mount = mount;
    this.path = path;
    this.parameters = new TreeMap<>(parameters);
  }

  /** The address of a file or of numbers, which no setting of a viewer changes. */
  String file(String name) {
    return mount + name;
  }

  /** The address of another page without filters. */
  String to(String other) {
    return address(other, kept());
  }

  /** The address of another page with one filter. */
  String to(String other, String name, String value) {
    Map<String, String> query = kept();
    query.put(name, value);
    return address(other, query);
  }

  /** The page of an entry of the audit. */
  String operation(long id) {
    return to("/operation", "id", Long.toString(id));
  }

  /** The page of a task. */
  String task(String tenant, long id) {
    return new Links(mount, "/task", Map.of("tenant", tenant, "id", Long.toString(id))).self();
  }

  String tenant(String name) {
    return to("/tenant", "name", name);
  }

  /** The page of an action, with a field filled. */
  String action(String name, String field, String value) {
    return to(ActionPages.PREFIX + name, field, value);
  }

  /** The page of an action, with some fields filled. */
  String action(String name, Map<String, String> fields) {
    Map<String, String> query = kept();
    query.putAll(fields);
    return address(ActionPages.PREFIX + name, query);
  }

  /** The address of this page with its filters. */
  String self() {
    return address(path, parameters);
  }

  /** What a form of this page has to keep beside its own filters. */
  List<View.Hidden> hidden() {
    return kept().entrySet().stream()
        .map(each -> new View.Hidden(each.getKey(), each.getValue()))
        .toList();
  }

  private Map<String, String> kept() {
    Map<String, String> kept = new TreeMap<>(parameters);
    kept.keySet().retainAll(List.of(LIVE));
    return kept;
  }

  /** The address of this page with one filter changed. */
  String with(String name, String value) {
    Map<String, String> changed = new TreeMap<>(parameters);
    changed.put(name, value);
    return address(path, changed);
  }

  /** The address of this page with two filters changed. */
  String with(String name, String value, String other, String ofOther) {
    Map<String, String> changed = new TreeMap<>(parameters);
    changed.put(name, value);
    changed.put(other, ofOther);
    return address(path, changed);
  }

  /** The links of this page without one filter. */
  Links fresh(String name) {
    Map<String, String> changed = new TreeMap<>(parameters);
    changed.remove(name);
    return new Links(mount, path, changed);
  }

  /** The address of this page without one filter. */
  String without(String name) {
    return fresh(name).self();
  }

  private String address(String page, Map<String, String> query) {
    String text =
        query.entrySet().stream()
            .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
            .collect(Collectors.joining("&"));
    return mount + page + (text.isEmpty() ? "" : "?" + text);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
