package dev.rota.dashboard.internal;

import com.sun.net.httpserver.HttpExchange;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes the name of the user from a header of a proxy, and requests from its addresses alone.
 * Thread-safe.
 *
 * <p>Other host names are answered: a page of another name that resolves to this machine cannot
 * send from the address of the proxy, and the proxy admits no request without its own login.
 */
public final class HeaderCheck extends CallerCheck {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+");

  private final String name;
  private final List<AddressRange> proxies;

  public HeaderCheck(String name, String... ranges) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "header is '" + name + "'; use one such as X-Forwarded-User");
    }
    if (ranges.length == 0) {
      throw new IllegalArgumentException(
          "header " + name + " has no trusted sender; name ranges such as 10.0.0.0/8");
    }
    this.name = name;
    this.proxies = Arrays.stream(ranges).map(AddressRange::of).toList();
  }

  @Override
  Verdict check(HttpExchange exchange) {
    if (isProbe(exchange)) {
      return Verdict.unknown();
    }
    var peer = exchange.getRemoteAddress().getAddress();
    if (proxies.stream().noneMatch(range -> range.contains(peer))) {
      return refused("the dashboard takes requests from its proxy alone");
    }
    List<String> values = exchange.getRequestHeaders().getOrDefault(name, List.of());
    if (values.size() != 1) {
      return refused(
          "the proxy must send the header "
              + name
              + " once, in place of what it received; it came "
              + values.size()
              + " times");
    }
    return user(values.get(0));
  }

  private Verdict user(String value) {
    try {
      String user = utf8(value).strip();
      return isName(user)
          ? Verdict.user(user)
          : refused("the header " + name + " holds no name of a user; " + NAMES);
    } catch (CharacterCodingException e) {
      return refused("the header " + name + " is not in UTF-8");
    }
  }

  /** The text of a header; the server of the JDK takes each of its bytes for a character. */
  private static String utf8(String value) throws CharacterCodingException {
    ByteBuffer bytes = ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1));
    return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
  }

  private static Verdict refused(String why) {
    return Verdict.refused(Responses.text(403, why));
  }
}
