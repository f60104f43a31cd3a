package dev.rota.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An address that stays the same while the server behind it goes away and comes back elsewhere. */
final class Relay implements AutoCloseable {

  private final ServerSocket door;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile int target;

  Relay(int target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    inBackground(this::acceptAll);
  }

  int port() {
    return door.getLocalPort();
  }

  /** From now on connections go there. */
  void pointTo(int port) {
    target = port;
  }

  /** Cuts every connection. */
  void cut() {
    sockets.forEach(Relay::closeQuietly);
    sockets.clear();
  }

  @Override
  public void close() throws IOException {
    door.close();
    cut();
  }

  private void acceptAll() {
    try {
      while (true) {
        connect(door.accept());
      }
    } catch (IOException e) {
      // The door was closed: nobody is let in any more.
      cut();
    }
  }

  private void connect(Socket client) {
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
      sockets.add(client);
      sockets.add(server);
      inBackground(() -> copy(client, server));
      inBackground(() -> copy(server, client));
    } catch (IOException e) {
      // Nobody is there: the client sees a closed connection, as it would without a relay.
      closeQuietly(client);
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One side is gone: the other one learns of it below.
      return;
    } finally {
      closeQuietly(from);
      closeQuietly(to);
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void inBackground(Runnable work) {
    Thread thread = new Thread(work, "relay");
    thread.setDaemon(true);
    thread.start();
  }
}
