package dev.rota.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Answers clients like a PostgreSQL server that refuses all logins, with a given SQLSTATE. */
final class RefusingServer implements AutoCloseable {

  private static final int SSL_REQUEST = 80_877_103;

  private final ServerSocket door;
  private final String state;

  RefusingServer(String state) throws IOException {
    this.state = state;
    this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::refuseAll, "refusing-server");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return door.getLocalPort();
  }

  private void refuseAll() {
    while (!door.isClosed()) {
      try (Socket client = door.accept()) {
        refuse(client);
      } catch (IOException e) {
        // The test is over, or the client has gone.
      }
    }
  }

  private void refuse(Socket client) throws IOException {
    DataInputStream in = new DataInputStream(client.getInputStream());
    DataOutputStream out = new DataOutputStream(client.getOutputStream());
    while (true) {
      byte[] request = in.readNBytes(in.readInt() - Integer.BYTES);
      if (first(request) != SSL_REQUEST) {
        break;
      }
      out.writeByte('N');
    }
    byte[] fields = fields();
    out.writeByte('E');
    out.writeInt(Integer.BYTES + fields.length);
    out.write(fields);
    out.flush();
  }

  private static int first(byte[] request) {
    return ByteBuffer.wrap(request).getInt();
  }

  private byte[] fields() {
    ByteArrayOutputStream fields = new ByteArrayOutputStream();
    for (String field : new String[] {"SFATAL", "VFATAL", "C" + state, "Mby order of a test"}) {
      fields.writeBytes(field.getBytes(US_ASCII));
      fields.write(0);
    }
    fields.write(0);
    return fields.toByteArray();
  }

  @Override
  public void close() throws IOException {
    door.close();
  }
}
