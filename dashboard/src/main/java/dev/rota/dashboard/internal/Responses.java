package dev.rota.dashboard.internal;

import dev.rota.dashboard.DashboardResponse;
import dev.rota.dashboard.internal.api.Api;
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
          // Without any referrer browsers would hide the origin of forms, too.
          "same-origin",
          "Cross-Origin-Opener-Policy",
          "same-origin");

  private static final String NOT_STORED = "no-store";

  private Responses() {}

  static DashboardResponse html(int status, String page) {
    return of(status, "text/html; charset=utf-8", NOT_STORED, page);
  }

  /** Leads a browser to another page after a form. */
  static DashboardResponse see(String address) {
    return of(
        303, "text/plain; charset=utf-8", NOT_STORED, Map.of("Location", address), new byte[0]);
  }

  /** The same answer with further headers. */
  static DashboardResponse with(DashboardResponse plain, Map<String, String> further) {
    return new DashboardResponse(plain.status(), merged(plain.headers(), further), content(plain));
  }

  private static Map<String, String> merged(
      Map<String, String> headers, Map<String, String> further) {
    Map<String, String> all = new HashMap<>(headers);
    all.putAll(further);
    return all;
  }

  private static byte[] content(DashboardResponse response) {
    ByteArrayOutputStream content = new ByteArrayOutputStream(response.length());
    try {
      response.writeTo(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return content.toByteArray();
  }

  static DashboardResponse json(Api.Answer answer) {
    String type = answer.status() < 400 ? "application/json" : "application/problem+json";
    return of(answer.status(), type, NOT_STORED, answer.json());
  }

  /** A table that browsers save as a file. */
  static DashboardResponse csv(String name, String table) {
    return of(
        200,
        "text/csv; charset=utf-8",
        NOT_STORED,
        Map.of("Content-Disposition", "attachment; filename=\"" + name + "\""),
        table.getBytes(StandardCharsets.UTF_8));
  }

  static DashboardResponse text(int status, String line) {
    return of(status, "text/plain; charset=utf-8", NOT_STORED, line + "\n");
  }

  private static DashboardResponse of(int status, String type, String cached, String content) {
    return of(status, type, cached, Map.of(), content.getBytes(StandardCharsets.UTF_8));
  }

  /** The same answer in fewer bytes. */
  static DashboardResponse compressed(DashboardResponse plain) {
    return new DashboardResponse(
        plain.status(),
        merged(plain.headers(), Map.of("Content-Encoding", "gzip", "Vary", "Accept-Encoding")),
        Assets.compress(content(plain)));
  }

  static DashboardResponse of(
      int status, String type, String cached, Map<String, String> others, byte[] content) {
    Map<String, String> headers = merged(HEADERS, others);
    headers.put("Content-Type", type);
    headers.put("Cache-Control", cached);
    return new DashboardResponse(status, headers, content);
  }
}
