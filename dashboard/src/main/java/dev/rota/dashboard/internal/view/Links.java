package dev.rota.dashboard.internal.view;

import dev.rota.dashboard.DashboardRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes the addresses of pages. Filters stand in the address, so that it can be passed on. */
public final class Links {

  /** Where the pages of actions begin. */
  public static final String ACTIONS = "/actions/";

  /** The parameter that says how often pages renew themselves. All pages keep it. */
  public static final String LIVE = "live";

  private final String mount;
  private final String path;
  private final Map<String, String> parameters;

  public Links(DashboardRequest request) {
    this(request.location().mount(), encodedPath(request.location()), shown(request));
  }

  /** The parameters that addresses may hold: a form that was posted may have secrets and tokens. */
  private static Map<String, String> shown(DashboardRequest request) {
    Map<String, String> shown = new TreeMap<>(request.parameters());
    if (request.method().equals("POST")) {
      shown.keySet().retainAll(List.of(LIVE));
    }
    return shown;
  }

  private Links(String mount, String path, Map<String, String> parameters) {
    this.mount = mount;
    this.path = path;
    this.parameters = new TreeMap<>(parameters);
  }

  /** The address of a file or of numbers, which no setting of a viewer changes. */
  public String file(String name) {
    return mount + name;
  }

  /** The address of another page without filters. */
  public String to(String other) {
    return address(other, kept());
  }

  /** The address of another page with one filter. */
  public String to(String other, String name, String value) {
    Map<String, String> query = kept();
    query.put(name, value);
    return address(other, query);
  }

  /** The page of an entry of the audit. */
  public String operation(long id) {
    return to("/operation", "id", Long.toString(id));
  }

  /** The page of a task. */
  public String task(String tenant, long id) {
    Map<String, String> query = kept();
    query.put("tenant", tenant);
    query.put("id", Long.toString(id));
    return address("/task", query);
  }

  /** The page of a graph. */
  public String graph(String tenant, long id) {
    Map<String, String> query = kept();
    query.put("tenant", tenant);
    query.put("id", Long.toString(id));
    return address("/graph", query);
  }

  public String tenant(String name) {
    return to("/tenant", "name", name);
  }

  /** The page of an action, with some fields filled. */
  public String action(String name, Map<String, String> fields) {
    Map<String, String> query = kept();
    query.putAll(fields);
    return address(ACTIONS + name, query);
  }

  /** The address of this page with its filters. */
  public String self() {
    return address(path, parameters);
  }

  /** The address of another page with the filters of this one. */
  public String at(String other) {
    return address(other, parameters);
  }

  /** What a form of this page has to keep beside its own filters. */
  public List<View.Hidden> hidden() {
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
  public String with(String name, String value) {
    Map<String, String> changed = new TreeMap<>(parameters);
    changed.put(name, value);
    return address(path, changed);
  }

  /** The address of this page with two filters changed. */
  public String with(String name, String value, String other, String ofOther) {
    Map<String, String> changed = new TreeMap<>(parameters);
    changed.put(name, value);
    changed.put(other, ofOther);
    return address(path, changed);
  }

  /** The links of this page without one filter. */
  public Links fresh(String name) {
    Map<String, String> changed = new TreeMap<>(parameters);
    changed.remove(name);
    return new Links(mount, path, changed);
  }

  /** The address of this page without one filter. */
  public String without(String name) {
    return fresh(name).self();
  }

  private String address(String page, Map<String, String> query) {
    String text =
        query.entrySet().stream()
            .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
            .collect(Collectors.joining("&"));
    return mount + page + (text.isEmpty() ? "" : "?" + text);
  }

  /** A path as asked for, without what would make it the address of another host. */
  private static String encodedPath(DashboardRequest.Location location) {
    return Stream.of(location.path().split("/"))
        .filter(part -> !part.isEmpty())
        .map(part -> encoded(part).replace("+", "%20"))
        .collect(Collectors.joining("/", "/", ""));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
