package dev.rota.dashboard.internal;

import com.sun.net.httpserver.HttpExchange;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Takes requests to the own names of this machine, from callers of whom it knows nothing. It keeps
 * out pages of other sites whose names resolve to this machine. Thread-safe.
 */
public final class HostCheck extends CallerCheck {

  private static final Set<String> OWN_HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");

  private final String literal;

  public HostCheck(InetAddress listening) {
    literal = literal(listening);
  }

  /** An address as it stands in the address of a page. */
  public static String literal(InetAddress address) {
    String text = address.getHostAddress();
    return address instanceof Inet6Address ? "[" + text + "]" : text;
  }

  @Override
  Verdict check(HttpExchange exchange) {
    String host = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Host")).orElse("");
    return isOwn(host.replaceFirst(":[0-9]*$", "").toLowerCase(Locale.ROOT))
        ? Verdict.unknown()
        : Verdict.refused(Responses.text(421, "the dashboard answers to localhost alone"));
  }

  private boolean isOwn(String name) {
    return OWN_HOSTS.contains(name) || name.equals(literal);
  }
}
