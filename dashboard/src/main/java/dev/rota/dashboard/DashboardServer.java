package dev.rota.dashboard;

import com.sun.net.httpserver.HttpServer;
import dev.rota.dashboard.internal.CallerCheck;
import dev.rota.dashboard.internal.HeaderCheck;
import dev.rota.dashboard.internal.HostCheck;
import dev.rota.dashboard.internal.HttpAdapter;
import dev.rota.dashboard.internal.PasswordCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Serves a {@link Dashboard} by the HTTP server of the JDK: to this machine alone by default, or to
 * others who give a password or come through a proxy. Thread-safe.
 *
 * <p>It speaks HTTP without TLS. Where other machines reach it, let a proxy add TLS, or others can
 * read passwords and pages. Such a proxy must pass the header {@code Host} on: a form is accepted
 * only if its origin is that host.
 */
public final class DashboardServer implements AutoCloseable {

  /** A thread reads each request, however slowly its caller sends it; few answer at once. */
  private static final int THREADS = 64;

  private static final long IDLE_SECONDS = 10;
  private static final int BACKLOG = 50;

  /** Without it the last packet of an answer waits for 40 ms until the browser confirms others. */
  private static final String NO_DELAY = "sun.net.httpserver.nodelay";

  /** Without it callers who send slowly keep all threads, for as long as they like. */
  private static final String LONGEST_REQUEST = "sun.net.httpserver.maxReqTime";

  private static final String LONGEST_REQUEST_SECONDS = "60";

  private final HttpServer server;
  private final ExecutorService threads;

  private DashboardServer(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  /**
   * Begins a server of a dashboard.
   *
   * @param dashboard the dashboard
   * @return a builder
   */
  public static Builder builder(Dashboard dashboard) {
    return new Builder(dashboard);
  }

  /**
   * The address of the first page, which names {@code localhost} if the server listens there or on
   * all interfaces.
   *
   * @return the address
   */
  public URI address() {
    InetSocketAddress listening = server.getAddress();
    return URI.create("http://" + host(listening.getAddress()) + ":" + listening.getPort() + "/");
  }

  private static String host(InetAddress listening) {
    boolean isLocal =
        listening.isAnyLocalAddress() || listening.equals(InetAddress.getLoopbackAddress());
    return isLocal ? "localhost" : HostCheck.literal(listening);
  }

  /** Ends it; answers that are being written may be cut off. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }

  /** Sets up a server. Not thread-safe. */
  public static final class Builder {
    private final Dashboard dashboard;
    private int port;
    private @Nullable String address;
    private @Nullable CallerCheck password;
    private @Nullable CallerCheck header;

    private Builder(Dashboard dashboard) {
      this.dashboard = dashboard;
    }

    /**
     * Sets the port; by default the system chooses one.
     *
     * @param number the port, or 0 for any
     * @return this builder
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder port(int number) {
      if (number < 0 || number > 65_535) {
        throw new IllegalArgumentException("port is " + number + "; allowed are 0 to 65535");
      }
      port = number;
      return this;
    }

    /**
     * Sets the interface to listen on; the loopback interface of this machine by default. Any other
     * needs a {@linkplain #password password} or a {@linkplain #trustHeader trusted header}.
     *
     * @param host a name or address of this machine, or {@code 0.0.0.0} for all interfaces
     * @return this builder
     */
    public Builder address(String host) {
      address = host;
      return this;
    }

    /**
     * Asks for a user and a password, by the scheme Basic of HTTP in UTF-8. The user is the caller
     * of each request, without roles. {@code /healthz} and {@code /readyz} stay open. None by
     * default; excludes {@link #trustHeader}.
     *
     * @param user the name of the user; 1 to 200 characters without a colon
     * @param secret the password
     * @return this builder
     * @throws IllegalArgumentException if either is blank or has control characters, or the name is
     *     too long or has a colon
     */
    public Builder password(String user, String secret) {
      password = new PasswordCheck(user, secret);
      return this;
    }

    /**
     * Takes the name of the user from a header that a proxy sends. The user is the caller of each
     * request, without roles. Requests from other addresses are refused, but for {@code /healthz}
     * and {@code /readyz}. None by default; excludes {@link #password}.
     *
     * <p>The ranges must hold proxies alone, which replace that header in all requests: any other
     * program or browser there can name any user. A request is refused unless it has the header
     * once, in UTF-8, with 1 to 200 characters.
     *
     * @param name the name of the header, such as {@code X-Forwarded-User}
     * @param ranges the addresses of the proxies, as literals such as {@code 10.0.0.7}, {@code
     *     10.0.0.0/8} or {@code fd00::/8}; at least one
     * @return this builder
     * @throws IllegalArgumentException if a name or range is malformed, or there is no range
     */
    public Builder trustHeader(String name, String... ranges) {
      header = new HeaderCheck(name, ranges);
      return this;
    }

    /**
     * Starts the server. It sets the property {@code sun.net.httpserver.nodelay} of the JVM unless
     * it is set, without which the JDK's server answers late. Where other machines reach the
     * server, it likewise sets {@code sun.net.httpserver.maxReqTime} to 60 seconds, which the JVM
     * reads before its first server.
     *
     * @return the running server
     * @throws IllegalArgumentException if the address does not resolve
     * @throws IllegalStateException if other machines reach the address and there is neither a
     *     password nor a trusted header, or if there are both
     * @throws UncheckedIOException if the port is taken, or the address is not of this machine
     */
    public DashboardServer start() {
      InetAddress listening = listening();
      CallerCheck callers = callers(listening);
      setUnlessSet(NO_DELAY, "true");
      if (!listening.isLoopbackAddress()) {
        setUnlessSet(LONGEST_REQUEST, LONGEST_REQUEST_SECONDS);
      }
      try {
        HttpServer server = HttpServer.create(new InetSocketAddress(listening, port), BACKLOG);
        ExecutorService threads = threads();
        server.setExecutor(threads);
        var unused = server.createContext("/", new HttpAdapter(dashboard, callers));
        server.start();
        return new DashboardServer(server, threads);
      } catch (IOException e) {
        String of = address == null ? "" : " of " + address;
        throw new UncheckedIOException("the dashboard cannot listen on port " + port + of, e);
      }
    }

    private InetAddress listening() {
      try {
        return address == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(address);
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException(
            "address is '" + address + "', which does not resolve; use one of this machine", e);
      }
    }

    private CallerCheck callers(InetAddress listening) {
      if (password != null && header != null) {
        throw new IllegalStateException(
            "the dashboard can ask for a password or trust a header, not both");
      }
      if (password != null) {
        return password;
      }
      if (header != null) {
        return header;
      }
      if (!listening.isLoopbackAddress()) {
        throw new IllegalStateException(
            "other machines reach the address "
                + address
                + ": ask for a password(user, secret), or take the user from a"
                + " trustHeader(name, ranges) of a proxy");
      }
      return new HostCheck(listening);
    }

    private static void setUnlessSet(String property, String value) {
      if (System.getProperty(property) == null) {
        String unused = System.setProperty(property, value);
      }
    }

    private static ExecutorService threads() {
      ThreadPoolExecutor threads =
          new ThreadPoolExecutor(
              THREADS,
              THREADS,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              Builder::thread);
      threads.allowCoreThreadTimeOut(true);
      return threads;
    }

    private static Thread thread(Runnable work) {
      Thread thread = new Thread(work, "rota-dashboard");
      thread.setDaemon(true);
      return thread;
    }
  }
}
