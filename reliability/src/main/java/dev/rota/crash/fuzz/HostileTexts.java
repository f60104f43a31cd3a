package dev.rota.crash.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Texts that have broken other programs, each in a different way. */
final class HostileTexts {

  private static final List<String> SHORT =
      List.of(
          "",
          " ",
          "null",
          "'",
          "\"",
          "\\",
          "''; drop table rota.tenant; --",
          "$$; drop schema rota cascade; $$",
          "E'\\000'",
          "$1 ? :name {slot} ${schema} %s %1$n {0}",
          "{a,\"b\",NULL}",
          "\u0001{\"a\":\"b\"}\npayload",
          "\u0001",
          "\\N\\.\\x00",
          "\u0000",
          "a\u0000b",
          "\ud800",
          "\udc00x",
          "x\ud83d",
          "\ufeff\uffff\ufffd",
          "\ud83d\ude00",
          "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67",
          "\u001b[2J\u001b]0;title\u0007",
          "\u009b31m\u0085\u007f",
          "\u202eright to left\u2066",
          "one\r\ntwo\nrota: three\u2028four",
          "\t\b\f",
          "../../etc/passwd",
          "{\"a\":\"${jndi:ldap://x}\"}",
          "--help",
          "@/etc/passwd",
          "-1",
          "1e999");

  private HostileTexts() {}

  static List<String> all() {
    return Stream.of(SHORT.stream(), lengths(), documents()).flatMap(texts -> texts).toList();
  }

  /**
   * Texts around the limits of names in PostgreSQL and in Rota, in characters of one to four bytes.
   */
  private static Stream<String> lengths() {
    List<String> texts = new ArrayList<>();
    for (int length : new int[] {63, 64, 128, 200, 201, 500, 501, 65_536}) {
      for (String unit : List.of("\u00e4", "\ud83d\ude00")) {
        texts.add(unit.repeat(length));
      }
    }
    return texts.stream();
  }

  private static Stream<String> documents() {
    return Stream.of(
        "[".repeat(30_000),
        "{\"a\":".repeat(10_000) + "1" + "}".repeat(10_000),
        "{\"a\":" + "9".repeat(60_000) + "}",
        "{\"" + "a".repeat(60_000) + "\":1}",
        "x".repeat(3_000_000));
  }
}
