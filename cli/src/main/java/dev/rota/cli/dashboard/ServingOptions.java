package dev.rota.cli.dashboard;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.UsageException;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardAccess;
import dev.rota.dashboard.DashboardServer;
import dev.rota.dashboard.Right;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of all commands that serve the dashboard: to whom, and what viewers may do. */
final class ServingOptions {

  private static final String ACTIONS = "--dashboard-actions";
  private static final String ADDRESS = "--dashboard-address";
  private static final String HEADER = "--trust-header";
  private static final String RANGES = "--trust-from";
  private static final String USER = "ROTA_DASHBOARD_USER";
  private static final String PASSWORD = "ROTA_DASHBOARD_PASSWORD";

  /** Stands for the dashboard while there is no connection to read it by. */
  private static final Dashboard NONE =
      request -> {
        throw new IllegalStateException("there is no dashboard yet");
      };

  @Option(
      names = ACTIONS,
      description = "Let its viewers change things, too. By default these are all local users.")
  private boolean actions;

  @Option(
      names = ADDRESS,
      paramLabel = "HOST",
      description = {
        "Serve it at this address of the machine, or at all with 0.0.0.0; to local users alone by"
            + " default. What other machines reach needs a password, or a proxy that checks users.",
        "The dashboard asks for the user and the password in the environment variables"
            + " ROTA_DASHBOARD_USER and ROTA_DASHBOARD_PASSWORD. It has no TLS, which a proxy adds."
      })
  private @Nullable String address;

  @Option(
      names = HEADER,
      paramLabel = "NAME",
      description =
          "Take the name of the user from this header, such as X-Forwarded-User, which a proxy"
              + " sends.")
  private @Nullable String header;

  @Option(
      names = RANGES,
      paramLabel = "CIDR",
      split = ",",
      description =
          "With --trust-header, refuse requests but those from these addresses, such as 10.0.0.7 or"
              + " 10.0.0.0/8, which must be those of proxies alone.")
  private List<String> ranges = List.of();

  /** The name of one of these options that is given, if there is one. */
  @Nullable String given() {
    if (actions) {
      return ACTIONS;
    }
    if (address != null) {
      return ADDRESS;
    }
    return header != null ? HEADER : ranges.isEmpty() ? null : RANGES;
  }

  DashboardAccess access() {
    return actions ? DashboardAccess.everyone(Right.values()) : DashboardAccess.everyone();
  }

  /**
   * Checks the options before the first connection, which may take long, and hides the password.
   */
  void check(int port, Map<String, String> environment, Secrets secrets) {
    secrets.add(environment.getOrDefault(PASSWORD, ""));
    DashboardServer.Builder unused = server(NONE, port, environment);
  }

  /**
   * A server of a dashboard as the options and the environment want it.
   *
   * @throws UsageException if they do not fit together
   */
  DashboardServer.Builder server(Dashboard dashboard, int port, Map<String, String> environment) {
    String user = environment.getOrDefault(USER, "");
    String password = environment.getOrDefault(PASSWORD, "");
    refuseHalves(user, password);
    try {
      DashboardServer.Builder server = DashboardServer.builder(dashboard).port(port);
      if (!user.isEmpty()) {
        server.password(user, password);
      }
      if (header != null) {
        server.trustHeader(header, ranges.stream().map(String::strip).toArray(String[]::new));
      }
      return address == null ? server : server.address(listening(address).getHostAddress());
    } catch (IllegalArgumentException e) {
      throw new UsageException("the " + e.getMessage());
    }
  }

  private void refuseHalves(String user, String password) {
    String both = "; set both " + USER + " and " + PASSWORD + ", or neither";
    refuseIf(user.isEmpty() && !password.isEmpty(), USER + " is not set" + both);
    refuseIf(password.isEmpty() && !user.isEmpty(), PASSWORD + " is not set" + both);
    refuseIf(
        header != null && ranges.isEmpty(),
        HEADER + " needs " + RANGES + " CIDR with the addresses of the proxy");
    refuseIf(header == null && !ranges.isEmpty(), RANGES + " needs " + HEADER + " NAME");
    refuseIf(
        header != null && !user.isEmpty(),
        HEADER + " and " + USER + " exclude each other; use one of both");
    refuseIf(
        header == null && user.isEmpty() && isExposed(),
        "%s %s lets other machines reach the dashboard: set %s and %s, or use %s with %s"
            .formatted(ADDRESS, address, USER, PASSWORD, HEADER, RANGES));
  }

  private static void refuseIf(boolean wrong, String why) {
    if (wrong) {
      throw new UsageException(why);
    }
  }

  /** Whether other machines reach the dashboard. */
  boolean isExposed() {
    return address != null && !listening(address).isLoopbackAddress();
  }

  private static InetAddress listening(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new UsageException(
          ADDRESS + " is " + host + ", which does not resolve; use an address of this machine");
    }
  }
}
