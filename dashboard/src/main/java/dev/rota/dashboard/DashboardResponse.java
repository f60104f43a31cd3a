package dev.rota.dashboard;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/** An answer to a {@link DashboardRequest}. Immutable. */
public final class DashboardResponse {

  private final int status;
  private final Map<String, String> headers;
  private final byte[] body;

  /**
   * Creates an answer.
   *
   * @param status the status of HTTP
   * @param headers its headers
   * @param body its content, which is not copied
   */
  public DashboardResponse(int status, Map<String, String> headers, byte[] body) {
    this.status = status;
    this.headers = Map.copyOf(headers);
    this.body = body;
  }

  /**
   * The status of HTTP.
   *
   * @return the status
   */
  public int status() {
    return status;
  }

  /**
   * The headers, without the length.
   *
   * @return the headers by their names
   */
  public Map<String, String> headers() {
    return headers;
  }

  /**
   * The length of the content in bytes.
   *
   * @return the length
   */
  public int length() {
    return body.length;
  }

  /**
   * Writes the content.
   *
   * @param out where to; stays open
   * @throws IOException if writing fails
   */
  public void writeTo(OutputStream out) throws IOException {
    out.write(body);
  }
}
