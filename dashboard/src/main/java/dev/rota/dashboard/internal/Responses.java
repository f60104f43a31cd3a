package dev.rota.dashboard.internal;

import dev.rota.dashboard.DashboardResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Makes answers with the headers that each must have. */
final class Responses {

  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
              + " connect-src 'self'; form-action 'self'; base-uri 'none';"
              + " frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin");

  private static final String NOT_STORED = "no-store";

  private Responses() {}

  static DashboardResponse html(int status, String page) {
    return of(status, "text/html; charset=utf-8", NOT_STORED, page);
  }

  static DashboardResponse json(String object) {
    return of(200, "application/json", NOT_STORED, object);
  }

  static DashboardResponse text(int status, String line) {
    return of(status, "text/plain; charset=utf-8", NOT_STORED, line + "\n");
  }

  private static DashboardResponse of(int status, String type, String cached, String content) {
    return of(status, type, cached, Map.of(), content.getBytes(StandardCharsets.UTF_8));
  }

  /** The same answer in fewer bytes. */
  static DashboardResponse compressed(DashboardResponse plain) {
    ByteArrayOutputStream content = new ByteArrayOutputStream(plain.length());
    try {
      plain.writeTo(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> headers = new HashMap<>(plain.headers());
    headers.put("Content-Encoding", "gzip");
    headers.put("Vary", "Accept-Encoding");
    return new DashboardResponse(plain.status(), headers, Assets.compress(content.toByteArray()));
  }

  static DashboardResponse of(
      int status, String type, String cached, Map<String, String> others, byte[] content) {
    Map<String, String> headers = new HashMap<>(HEADERS);
    headers.put("Content-Type", type);
    headers.put("Cache-Control", cached);
    headers.putAll(others);
    return new DashboardResponse(status, headers, content);
  }
}
