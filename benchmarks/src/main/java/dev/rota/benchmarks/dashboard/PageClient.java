package dev.rota.benchmarks.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks a server for pages, as a browser does that a page renews itself in. Thread-safe.
 *
 * <p>Browsers run on other machines. So this uses the client that takes the least of this one: no
 * threads of its own, and no content is decompressed.
 */
final class PageClient {

  private static final int OK = 200;

  /** What tells the script of a page how often it renews. */
  private static final Pattern EVERY = Pattern.compile("hx-trigger=\"every (\\d+)s\"");

  private final URI server;

  PageClient(URI server) {
    this.server = server;
  }

  /** Reads a page to its end; any other answer is an error. */
  void get(String address) {
    byte[] unused = read(address, Map.of("Accept-Encoding", "gzip", "HX-Request", "true"));
  }

  /** How often a page renews itself in a browser. */
  Duration renewal(String address) {
    String page = new String(read(address, Map.of()), StandardCharsets.UTF_8);
    Matcher every = EVERY.matcher(page);
    if (!every.find()) {
      throw new IllegalStateException(address + " does not renew itself");
    }
    return Duration.ofSeconds(Long.parseLong(every.group(1)));
  }

  private byte[] read(String address, Map<String, String> headers) {
    try {
      HttpURLConnection request =
          (HttpURLConnection) server.resolve(address).toURL().openConnection();
      headers.forEach(request::setRequestProperty);
      if (request.getResponseCode() != OK) {
        throw new IllegalStateException(address + " answers " + request.getResponseCode());
      }
      try (InputStream content = request.getInputStream()) {
        byte[] page = content.readAllBytes();
        if (page.length == 0) {
          throw new IllegalStateException(address + " answers nothing");
        }
        return page;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(address + " does not answer", e);
    }
  }
}
