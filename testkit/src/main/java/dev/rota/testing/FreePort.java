package dev.rota.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports for servers that are told their port before they listen: they have just begun, or
 * they use the same port after a restart. Thread-safe.
 */
public final class FreePort {

  private static final int ATTEMPTS = 100;

  private FreePort() {}

  /**
   * Finds a port outside the range from which systems choose. A client, or a listener that leaves
   * the choice to the system, could otherwise take the port while the server does not listen.
   */
  public static int find() throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int candidate = ThreadLocalRandom.current().nextInt(15_000, 32_000);
      if (isFree(candidate)) {
        return candidate;
      }
    }
    throw new IOException("no free port");
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return probe.isBound();
    } catch (IOException e) {
      // In use.
      return false;
    }
  }
}
