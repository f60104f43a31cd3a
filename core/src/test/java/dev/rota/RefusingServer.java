package dev.rota;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** Implements enough of PostgreSQL's protocol to refuse each login, and counts the attempts. */
final class RefusingServer implements AutoCloseable {

  private static final int CANCEL_REQUEST = 80877102;
  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;

  private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final AtomicInteger attempts = new AtomicInteger();
  private final byte[] refusal;

  /** Refuses with an SQLSTATE and a message. */
  RefusingServer(String state, String message) throws IOException {
    this.refusal = errorResponse(state, message);
    Thread thread = new Thread(this::serve, "refusing-server");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return socket.getLocalPort();
  }

  /** How many connections asked for a login. */
  int attempts() {
    return attempts.get();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private void serve() {
    while (!socket.isClosed()) {
      try (Socket client = socket.accept()) {
        refuse(client);
      } catch (IOException e) {
        if (!socket.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void refuse(Socket client) throws IOException {
    DataInputStream in = new DataInputStream(client.getInputStream());
    DataOutputStream out = new DataOutputStream(client.getOutputStream());
    int code = readStartup(in);
    while (code == SSL_REQUEST || code == GSS_REQUEST) {
      out.write('N');
      code = readStartup(in);
    }
    if (code != CANCEL_REQUEST) {
      attempts.incrementAndGet();
      out.write(refusal);
    }
  }

  private static int readStartup(DataInputStream in) throws IOException {
    int length = in.readInt();
    int code = in.readInt();
    in.readNBytes(length - 2 * Integer.BYTES);
    return code;
  }

  private static byte[] errorResponse(String state, String message) throws IOException {
    String fields = "SFATAL\0VFATAL\0C" + state + "\0M" + message + "\0\0";
    byte[] body = fields.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write('E');
    out.writeInt(Integer.BYTES + body.length);
    out.write(body);
    return bytes.toByteArray();
  }
}
