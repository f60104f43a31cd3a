package dev.rota.benchmarks.dashboard;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Asks a server for pages, as a browser does that a page renews itself in. Thread-safe. */
final class PageClient {

  private static final int OK = 200;

  private final HttpClient client = HttpClient.newHttpClient();
  private final URI server;

  PageClient(URI server) {
    this.server = server;
  }

  /** Reads a page to its end; any other answer is an error. */
  void get(String address) {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve(address))
            .header("Accept-Encoding", "gzip")
            .header("HX-Request", "true")
            .build();
    try {
      HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
      if (answer.statusCode() != OK || answer.body().length == 0) {
        throw new IllegalStateException(address + " answers " + answer.statusCode());
      }
    } catch (IOException e) {
      throw new IllegalStateException(address + " does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted at " + address, e);
    }
  }
}
