package dev.rota.dashboard;

import dev.rota.dashboard.DashboardRequest.Caller;
import dev.rota.dashboard.DashboardRequest.Token;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Serves a {@link Dashboard} in a servlet container, under the path of its mapping, such as {@code
 * /ops/rota/*}. The user and the roles are those of the container. Thread-safe.
 *
 * <p>A host whose own filter asks for a token in each form sets the request attributes {@link
 * #TOKEN_NAME} and {@link #TOKEN_VALUE}.
 */
public final class DashboardServlet extends HttpServlet {

  /** The attribute of a request that names the parameter that the host asks of each form. */
  public static final String TOKEN_NAME = "dev.rota.dashboard.token.name";

  /** The attribute of a request with the value of that parameter, or with a supplier of it. */
  public static final String TOKEN_VALUE = "dev.rota.dashboard.token.value";

  private static final long serialVersionUID = 1L;

  private final transient Dashboard dashboard;

  /**
   * Creates the servlet.
   *
   * @param dashboard the dashboard
   */
  public DashboardServlet(Dashboard dashboard) {
    this.dashboard = dashboard;
  }

  /**
   * Answers a request.
   *
   * @param request the request
   * @param response receives the answer
   * @throws IOException if the answer cannot be written
   */
  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    DashboardResponse answer = dashboard.handle(requestOf(request));
    response.setStatus(answer.status());
    // The container may have set a cookie already, which setHeader would remove.
    answer.headers().forEach(response::addHeader);
    response.setContentLength(answer.length());
    if (!request.getMethod().equals("HEAD")) {
      answer.writeTo(response.getOutputStream());
    }
  }

  private static DashboardRequest requestOf(HttpServletRequest request) {
    Map<String, String> parameters = new HashMap<>();
    request.getParameterMap().forEach((name, values) -> parameters.put(name, values[0]));
    Map<String, String> headers = new HashMap<>();
    for (String name : Collections.list(request.getHeaderNames())) {
      headers.put(name.toLowerCase(Locale.ROOT), request.getHeader(name));
    }
    String path = request.getPathInfo();
    return new DashboardRequest(
        request.getMethod(),
        new DashboardRequest.Location(
            request.getContextPath() + request.getServletPath(), path == null ? "/" : path),
        parameters,
        headers,
        new Caller(
            Optional.ofNullable(request.getRemoteUser()), request::isUserInRole, token(request)));
  }

  private static Optional<Token> token(HttpServletRequest request) {
    Object name = request.getAttribute(TOKEN_NAME);
    Object value = request.getAttribute(TOKEN_VALUE);
    return name == null || value == null
        ? Optional.empty()
        : Optional.of(new Token(name.toString(), () -> text(value)));
  }

  private static String text(Object value) {
    return String.valueOf(value instanceof Supplier<?> made ? made.get() : value);
  }
}
