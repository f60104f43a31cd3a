package dev.rota.dashboard;

import dev.rota.dashboard.DashboardRequest.Location;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/** Asks a dashboard for pages, as a browser without script does. */
record Browsing(Dashboard dashboard) {

  private static final String MOUNT = "/ops/rota";

  DashboardResponse get(String path, String... parameters) {
    return dashboard.handle(request("GET", path, Map.of(), parameters));
  }

  /** The text of a page that must be there. */
  String page(String path, String... parameters) {
    DashboardResponse response = get(path, parameters);
    String text = text(response);
    if (response.status() != 200) {
      throw new AssertionError(path + " answers " + response.status() + ": " + text);
    }
    return text;
  }

  static DashboardRequest request(
      String method, String path, Map<String, String> headers, String... parameters) {
    Map<String, String> named =
        parameters.length == 0 ? Map.of() : Map.of(parameters[0], parameters[1]);
    return new DashboardRequest(
        method, new Location(MOUNT, path), named, headers, Optional.empty());
  }

  static String text(DashboardResponse response) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      response.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
