package dev.rota.dashboard.internal;

import com.sun.net.httpserver.HttpExchange;
import dev.rota.dashboard.DashboardResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * Asks for a user and a password, by the scheme Basic of HTTP. Thread-safe.
 *
 * <p>Other host names are answered: a browser keeps a password for the origin where a user typed
 * it, so that a page of another name that resolves to this machine has none to send.
 */
public final class PasswordCheck extends CallerCheck {

  // The JDK's BasicAuthenticator drops the connection on malformed credentials without an answer,
  // challenges no caller of another scheme, and reads the whole content of what it refuses.

  private static final String SCHEME = "Basic ";
  private static final Map<String, String> CHALLENGE =
      Map.of("WWW-Authenticate", "Basic realm=\"Rota\", charset=\"UTF-8\"");

  private final String user;
  private final byte[] expected;

  public PasswordCheck(String user, String password) {
    if (!isName(user) || user.indexOf(':') >= 0) {
      throw new IllegalArgumentException("user is '" + user + "'; " + NAMES + " or a colon");
    }
    if (password.isBlank() || password.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("password is blank, or has a control character");
    }
    this.user = user;
    this.expected = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  Verdict check(HttpExchange exchange) {
    if (isProbe(exchange)) {
      return Verdict.unknown();
    }
    List<String> sent = exchange.getRequestHeaders().getOrDefault("Authorization", List.of());
    // How long the comparison takes depends on what was sent alone.
    return sent.size() == 1 && MessageDigest.isEqual(credentials(sent.get(0)), expected)
        ? Verdict.user(user)
        : Verdict.refused(challenge());
  }

  /** The user and the password that a header holds; nothing if it is malformed. */
  private static byte[] credentials(String header) {
    if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return new byte[0];
    }
    try {
      return Base64.getDecoder().decode(header.substring(SCHEME.length()).strip());
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  private static DashboardResponse challenge() {
    return Responses.with(
        Responses.text(401, "the dashboard asks for its user and password"), CHALLENGE);
  }
}
