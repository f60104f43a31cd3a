package dev.rota.erasure.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.ErasureReceipt.Kind;
import dev.rota.erasure.ErasureReceipt.Part;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Writes receipts as JSON and parses them. */
public final class Receipts {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final String DIGEST = ",\"sha256\":\"";
  private static final int FORMAT = 1;

  /** A part with the time of its removal. */
  record Line(Part part, @Nullable String removedAt) {}

  private Receipts() {}

  /** Writes a receipt; times are texts in ISO 8601. */
  static ErasureReceipt write(
      ErasureTarget target, String begunAt, String finishedAt, List<Line> lines) {
    ObjectNode all = MAPPER.createObjectNode();
    all.put("format", FORMAT);
    all.put("tenant", target.name());
    all.put("number", target.number());
    all.put("begun", begunAt);
    all.put("finished", finishedAt);
    ArrayNode parts = all.putArray("parts");
    lines.forEach(line -> write(line, parts.addObject()));
    String content = all.toString();
    String digest = sha256(content);
    String json = content.substring(0, content.length() - 1) + DIGEST + digest + "\"}";
    return new ErasureReceipt(
        target.name(), target.number(), lines.stream().map(Line::part).toList(), json, digest);
  }

  private static void write(Line line, ObjectNode to) {
    Part part = line.part();
    to.put("kind", part.kind().name().toLowerCase(Locale.ROOT));
    to.put("name", part.name());
    part.rows().ifPresent(rows -> to.put("rows", rows));
    part.bytes().ifPresent(bytes -> to.put("bytes", bytes));
    part.sha256().ifPresent(digest -> to.put("sha256", digest));
    if (line.removedAt() != null) {
      to.put("removed", line.removedAt());
    }
  }

  /** Parses a receipt; see {@link ErasureReceipt#parse}. */
  public static ErasureReceipt parse(String text) {
    String json = text.strip();
    int end = json.lastIndexOf(DIGEST);
    if (end < 0) {
      throw new IllegalArgumentException("this is no receipt of an erasure");
    }
    String digest = sha256(json.substring(0, end) + "}");
    if (!json.equals(json.substring(0, end) + DIGEST + digest + "\"}")) {
      throw new IllegalArgumentException(
          "this receipt was changed: its digest is not that of its content");
    }
    return read(json, digest);
  }

  private static ErasureReceipt read(String json, String digest) {
    try {
      JsonNode all = MAPPER.readTree(json);
      List<Part> parts = new ArrayList<>();
      all.path("parts").forEach(part -> parts.add(part(part)));
      return new ErasureReceipt(
          all.path("tenant").asText(), all.path("number").asInt(), parts, json, digest);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("this is no receipt of an erasure", e);
    }
  }

  private static Part part(JsonNode part) {
    return new Part(
        kind(part.path("kind").asText()),
        part.path("name").asText(),
        number(part.get("rows")),
        number(part.get("bytes")),
        Optional.ofNullable(part.get("sha256")).map(JsonNode::asText));
  }

  static Kind kind(String name) {
    return Kind.valueOf(name.toUpperCase(Locale.ROOT));
  }

  private static OptionalLong number(@Nullable JsonNode number) {
    return number == null ? OptionalLong.empty() : OptionalLong.of(number.asLong());
  }

  private static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
