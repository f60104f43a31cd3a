package dev.rota.dashboard.internal;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardRequest;
import dev.rota.dashboard.DashboardRequest.Caller;
import dev.rota.dashboard.DashboardResponse;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests of the JDK's server to a dashboard. It answers a few at once, so that the other
 * threads of the server can read requests and tell that the process lives. Thread-safe.
 */
public final class HttpAdapter implements HttpHandler {

  private static final long NO_BODY = -1;

  /** Payloads have up to a mebibyte, of which each byte may be three characters of a form. */
  private static final int LONGEST_FORM = 4 << 20;

  private static final int MOST_AT_ONCE = 4;
  private static final int MOST_WAITING = 32;
  private static final long LONGEST_WAIT_SECONDS = 5;

  private final Dashboard dashboard;
  private final CallerCheck callers;
  private final Semaphore turns = new Semaphore(MOST_AT_ONCE, true);

  public HttpAdapter(Dashboard dashboard, CallerCheck callers) {
    this.dashboard = dashboard;
    this.callers = callers;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      DashboardResponse answer = answer(exchange);
      answer.headers().forEach(exchange.getResponseHeaders()::set);
      boolean hasBody = !exchange.getRequestMethod().equals("HEAD") && answer.length() > 0;
      exchange.sendResponseHeaders(answer.status(), hasBody ? answer.length() : NO_BODY);
      if (hasBody) {
        answer.writeTo(exchange.getResponseBody());
      }
    }
  }

  /** The answer to a request, whose content is read only if its caller may send it. */
  private DashboardResponse answer(HttpExchange exchange) throws IOException {
    CallerCheck.Verdict verdict = callers.check(exchange);
    return verdict.refusal().isPresent()
        ? verdict.refusal().get()
        : answer(requestOf(exchange, verdict.caller()));
  }

  private DashboardResponse answer(DashboardRequest request) {
    if (request.location().path().equals(DefaultDashboard.ALIVE)) {
      return dashboard.handle(request);
    }
    if (!hasTurn()) {
      return Responses.text(503, "the dashboard has too much to do; try again in some seconds");
    }
    try {
      return dashboard.handle(request);
    } finally {
      turns.release();
    }
  }

  private boolean hasTurn() {
    try {
      return turns.getQueueLength() < MOST_WAITING
          && turns.tryAcquire(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static DashboardRequest requestOf(HttpExchange exchange, Caller caller)
      throws IOException {
    Map<String, String> headers = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
    String method = exchange.getRequestMethod();
    return new DashboardRequest(
        method,
        new DashboardRequest.Location("", exchange.getRequestURI().getPath()),
        parameters(method.equals("POST") ? form(exchange) : exchange.getRequestURI().getRawQuery()),
        headers,
        caller);
  }

  /** The content of a form; a longer one is cut, so that it lacks its token. */
  private static String form(HttpExchange exchange) throws IOException {
    byte[] content = exchange.getRequestBody().readNBytes(LONGEST_FORM);
    return new String(content, StandardCharsets.UTF_8);
  }

  /** The first value of each parameter; what cannot be decoded is left out. */
  private static Map<String, String> parameters(@Nullable String query) {
    Map<String, String> parameters = new HashMap<>();
    for (String part : query == null ? new String[0] : query.split("&")) {
      int equals = part.indexOf('=');
      if (equals > 0) {
        String value = decoded(part.substring(equals + 1));
        parameters.putIfAbsent(decoded(part.substring(0, equals)), value);
      }
    }
    return parameters;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }
}
