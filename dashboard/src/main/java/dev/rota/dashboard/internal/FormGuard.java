package dev.rota.dashboard.internal;

import dev.rota.dashboard.DashboardRequest;
import dev.rota.dashboard.internal.view.ForbiddenException;
import dev.rota.dashboard.internal.view.View.Hidden;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Keeps other sites from sending forms in the name of a viewer. A form must come from a page of the
 * same origin, and carry the token that a cookie of the browser holds as well. Thread-safe.
 */
final class FormGuard {

  static final String TOKEN = "rota_token";

  /** The header with which programs tell that no form sent their request. */
  private static final String PROGRAM = "x-rota-client";

  private static final int BYTES = 16;
  private static final Pattern COOKIE =
      Pattern.compile("(?:^|;\\s*)" + TOKEN + "=([0-9a-f]{32})(?:;|$)");

  private final SecureRandom random = new SecureRandom();

  /** The token of a browser: that of its cookie, or a new one. */
  String token(DashboardRequest request) {
    return known(request)
        .orElseGet(
            () -> {
              byte[] bytes = new byte[BYTES];
              random.nextBytes(bytes);
              return HexFormat.of().formatHex(bytes);
            });
  }

  private static Optional<String> known(DashboardRequest request) {
    var cookie = COOKIE.matcher(request.headers().getOrDefault("cookie", ""));
    return cookie.find() ? Optional.of(cookie.group(1)) : Optional.empty();
  }

  /** The header that gives a browser its token, which scripts cannot read. */
  static Map<String, String> cookie(DashboardRequest request, String token) {
    String mount = request.location().mount();
    String path = mount.isEmpty() ? "/" : mount;
    return Map.of(
        "Set-Cookie", TOKEN + "=" + token + "; Path=" + path + "; HttpOnly; SameSite=Strict");
  }

  /** What a form carries unseen: the token, and that of the host if it asks for one. */
  static List<Hidden> fields(DashboardRequest request, String token) {
    List<Hidden> fields = new ArrayList<>();
    fields.add(new Hidden(TOKEN, token));
    request
        .caller()
        .token()
        .ifPresent(own -> fields.add(new Hidden(own.name(), own.value().get())));
    return fields;
  }

  /**
   * Checks a form.
   *
   * @throws ForbiddenException if it may come from another site
   */
  static void check(DashboardRequest request) {
    if (!isOfOwnPage(request)) {
      throw new ForbiddenException("The form does not come from a page of this dashboard.");
    }
    String sent = request.parameters().getOrDefault(TOKEN, "");
    boolean fits = known(request).filter(token -> isEqual(token, sent)).isPresent();
    if (!fits) {
      throw new ForbiddenException(
          "The form has no valid token. Load its page again; the browser must accept cookies.");
    }
  }

  /**
   * Checks a request of a program. Browsers send the header to no other site unless that allows it,
   * and the dashboard allows it to none.
   *
   * @throws ForbiddenException if it may come from a page of another site
   */
  static void checkProgram(DashboardRequest request) {
    Map<String, String> headers = request.headers();
    boolean fromPage = headers.containsKey("sec-fetch-site") || headers.containsKey("origin");
    if (!headers.containsKey(PROGRAM) || (fromPage && !isOfOwnPage(request))) {
      throw new ForbiddenException(
          "Requests that change something need the header X-Rota-Client, with any value.");
    }
  }

  private static boolean isEqual(String token, String sent) {
    return MessageDigest.isEqual(
        token.getBytes(StandardCharsets.UTF_8), sent.getBytes(StandardCharsets.UTF_8));
  }

  /** Browsers send the first header to hosts that they trust, and the second with each form. */
  private static boolean isOfOwnPage(DashboardRequest request) {
    String site = request.headers().get("sec-fetch-site");
    if (site != null) {
      return site.equals("same-origin");
    }
    String origin = request.headers().getOrDefault("origin", "");
    String host = request.headers().getOrDefault("host", "");
    return authority(origin).filter(host::equals).isPresent();
  }

  /** The host and port of an origin; browsers that hide it send the word null. */
  private static Optional<String> authority(String origin) {
    try {
      return Optional.ofNullable(URI.create(origin).getAuthority());
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
