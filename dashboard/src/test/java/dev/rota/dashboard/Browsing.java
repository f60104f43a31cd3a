package dev.rota.dashboard;

import dev.rota.dashboard.DashboardRequest.Location;
import dev.rota.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** Asks a dashboard for pages, as a browser without script does. */
record Browsing(Dashboard dashboard) {

  static final String TOKEN = "0123456789abcdef0123456789abcdef";

  /** The headers of a form that a page of the dashboard sends. */
  static final Map<String, String> OWN_PAGE =
      Map.of("sec-fetch-site", "same-origin", "cookie", "a=b; rota_token=" + TOKEN);

  private static final String MOUNT = "/ops/rota";
  private static final String CUT_SHORT = ">look on</a>";

  DashboardResponse get(String path, String... parameters) {
    return dashboard.handle(request("GET", path, Map.of(), parameters));
  }

  /** A page, once its search has looked at all that there is; load may cut one short. */
  DashboardResponse whole(String path, String... parameters) {
    AtomicReference<DashboardResponse> page = new AtomicReference<>();
    Await.until(
        "the search of " + path + " ends",
        () -> {
          page.set(get(path, parameters));
          return !text(page.get()).contains(CUT_SHORT);
        });
    return page.get();
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

  /** Sends a form as its page would, with the token of this browser. */
  DashboardResponse post(String path, String... parameters) {
    String[] all = Arrays.copyOf(parameters, parameters.length + 2);
    all[parameters.length] = "rota_token";
    all[parameters.length + 1] = TOKEN;
    return dashboard.handle(request("POST", path, OWN_PAGE, all));
  }

  static DashboardRequest request(
      String method, String path, Map<String, String> headers, String... parameters) {
    Map<String, String> named = new HashMap<>();
    for (int i = 0; i < parameters.length; i += 2) {
      named.put(parameters[i], parameters[i + 1]);
    }
    return new DashboardRequest(
        method, new Location(MOUNT, path), named, headers, DashboardRequest.Caller.unknown());
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
