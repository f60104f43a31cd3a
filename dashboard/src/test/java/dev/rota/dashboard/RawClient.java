package dev.rota.dashboard;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Sends requests as they stand to a server. The client of the JDK would choose the header {@code
 * Host} and the address that it sends from.
 *
 * @param server the address of the server
 * @param from the address of this machine to send from
 * @param charset how it sends texts
 */
record RawClient(URI server, String from, Charset charset) {

  private static final int SECONDS_TO_ANSWER = 30;

  RawClient(URI server, String from) {
    this(server, from, StandardCharsets.UTF_8);
  }

  static RawClient of(DashboardServer server) {
    return new RawClient(server.address(), "127.0.0.1");
  }

  static String basic(String credentials) {
    byte[] bytes = credentials.getBytes(StandardCharsets.UTF_8);
    return "Authorization: Basic " + Base64.getEncoder().encodeToString(bytes);
  }

  /** The whole answer to a GET with lines of headers. */
  String get(String path, String... headers) throws IOException {
    return send("GET " + path, "", headers);
  }

  /** The whole answer to a form with lines of headers. */
  String post(String path, String form, String... headers) throws IOException {
    return send("POST " + path, form, headers);
  }

  private String send(String line, String content, String... headers) throws IOException {
    String further = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    String host = further.contains("Host: ") ? "" : "Host: " + server.getAuthority() + "\r\n";
    int length = content.getBytes(charset).length;
    String request =
        "%s HTTP/1.1\r\n%s%sContent-Length: %d\r\nConnection: close\r\n\r\n%s"
            .formatted(line, host, further, length, content);
    InetAddress to = InetAddress.getByName(server.getHost());
    try (Socket socket = new Socket(to, server.getPort(), InetAddress.getByName(from), 0)) {
      socket.setSoTimeout(SECONDS_TO_ANSWER * 1_000);
      socket.getOutputStream().write(request.getBytes(charset));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
