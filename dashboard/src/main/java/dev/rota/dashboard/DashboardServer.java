package dev.rota.dashboard;

import com.sun.net.httpserver.HttpServer;
import dev.rota.dashboard.internal.HttpAdapter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves a {@link Dashboard} by the HTTP server of the JDK, to this machine alone. A proxy that
 * checks users may make it reachable from others. Thread-safe.
 */
public final class DashboardServer implements AutoCloseable {

  private static final int THREADS = 4;
  private static final int BACKLOG = 50;

  /** Without it the last packet of an answer waits for 40 ms until the browser confirms others. */
  private static final String NO_DELAY = "sun.net.httpserver.nodelay";

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
   * The address of the first page.
   *
   * @return the address
   */
  public URI address() {
    return URI.create("http://localhost:" + server.getAddress().getPort() + "/");
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
     * Starts the server. It sets the property {@code sun.net.httpserver.nodelay} of the JVM unless
     * it is set, without which the JDK's server answers late.
     *
     * @return the running server
     * @throws UncheckedIOException if the port is taken
     */
    public DashboardServer start() {
      if (System.getProperty(NO_DELAY) == null) {
        String unused = System.setProperty(NO_DELAY, "true");
      }
      try {
        HttpServer server =
            HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS, Builder::thread);
        server.setExecutor(threads);
        var unused = server.createContext("/", new HttpAdapter(dashboard));
        server.start();
        return new DashboardServer(server, threads);
      } catch (IOException e) {
        throw new UncheckedIOException("the dashboard cannot listen on port " + port, e);
      }
    }

    private static Thread thread(Runnable work) {
      Thread thread = new Thread(work, "rota-dashboard");
      thread.setDaemon(true);
      return thread;
    }
  }
}
