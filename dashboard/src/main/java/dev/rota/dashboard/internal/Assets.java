package dev.rota.dashboard.internal;

import dev.rota.dashboard.DashboardRequest;
import dev.rota.dashboard.DashboardResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;

/** The style and the scripts of the pages, compressed once. Immutable. */
final class Assets {

  private static final String WEBJARS = "/META-INF/resources/webjars/";
  private static final String FOR_EVER = "private, max-age=31536000, immutable";
  private static final String CSS = "text/css; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";

  private final Map<String, Asset> assets = new LinkedHashMap<>();

  /** A file, and a number that changes with its content. */
  private static final class Asset {

    private final String type;
    private final byte[] content;
    private final byte[] compressed;
    private final String version;

    Asset(String type, byte[] content) {
      this.type = type;
      this.content = content;
      this.compressed = compress(content);
      CRC32 sum = new CRC32();
      sum.update(content);
      this.version = Long.toHexString(sum.getValue());
    }
  }

  Assets() {
    add("dashboard.css", CSS, "dashboard.css");
    add("dashboard.js", SCRIPT, "dashboard.js");
    add("htmx.js", SCRIPT, WEBJARS + "htmx.org/2.0.10/dist/htmx.min.js");
    add("uplot.js", SCRIPT, WEBJARS + "uplot/1.6.30/dist/uPlot.iife.min.js");
    add("uplot.css", CSS, WEBJARS + "uplot/1.6.30/dist/uPlot.min.css");
  }

  private void add(String name, String type, String resource) {
    try (InputStream in = Assets.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the dashboard lacks its resource " + resource);
      }
      assets.put(name, new Asset(type, in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] compress(byte[] content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(content.length / 2);
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static boolean acceptsGzip(DashboardRequest request) {
    return request.headers().getOrDefault("accept-encoding", "").contains("gzip");
  }

  /** The path of a file below the mount; browsers keep it until its content changes. */
  String path(String name) {
    Asset asset = assets.get(name);
    if (asset == null) {
      throw new IllegalArgumentException("there is no asset " + name);
    }
    return "/assets/" + name + "?v=" + asset.version;
  }

  Optional<DashboardResponse> answer(String name, DashboardRequest request) {
    return Optional.ofNullable(assets.get(name)).map(asset -> answer(asset, request));
  }

  private static DashboardResponse answer(Asset asset, DashboardRequest request) {
    Map<String, String> varying = Map.of("Vary", "Accept-Encoding");
    return acceptsGzip(request)
        ? Responses.of(
            200,
            asset.type,
            FOR_EVER,
            Map.of("Vary", "Accept-Encoding", "Content-Encoding", "gzip"),
            asset.compressed)
        : Responses.of(200, asset.type, FOR_EVER, varying, asset.content);
  }
}
