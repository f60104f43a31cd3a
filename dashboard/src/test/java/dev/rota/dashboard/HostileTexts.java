package dev.rota.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Texts that would be markup, addresses or code where a page did not escape them. */
public final class HostileTexts {

  private static final int RANDOM = 6;
  private static final int MOST_PARTS = 8;

  private static final List<String> FIXED =
      List.of(
          "<script>alert(1)</script>",
          "\"><img src=x onerror=alert(1)>",
          "'><svg onload='alert(1)'>",
          "x\" onmouseover=\"alert(1)\" autofocus onfocus=\"alert(1)",
          "javascript:alert(1)//",
          "data:text/html,<script>alert(1)</script>",
          "</textarea></title></style></select></pre></script><b onclick=alert(1)>bold</b>",
          "<!-- x --><![CDATA[ x ]]><?x ?><!DOCTYPE x>",
          "{{constructor.constructor('alert(1)')()}}${7*7}#{7*7}<%= 7*7 %>@template.x()!{x;}",
          "&lt;b&gt;&amp;lt;&#60;script&#x3e;&nbsp;&",
          "\u202Eevil\u202C\u2066x\u2069\u200Bzero\u200D\uFEFFwidth",
          "line\u2028and\u2029paragraph\u0085next",
          "tab\tnew\n</pre>\rreturn\u0007bell\u001B[31mred\u007Fdelete",
          "`back` \u00B4 \u00AB\u00BB \u201C\u201D \u2018\u2019 \uFF1Cscript\uFF1E \u02B9",
          "{\"a\":\"</script><script>alert(1)</script>\",\"<b>\":[\"<img src=x onerror=alert(1)>\"]}",
          "<div hx-get=\"/x\" hx-trigger=\"load\" data-address='//evil.example' style='x:url(//e)'>",
          "//evil.example/\\..\\%2e%2e?a=b&c=d#e",
          "long" + "\uD83D\uDE00<b>".repeat(2_000));

  private static final List<String> PARTS =
      List.of(
          "<",
          ">",
          "\"",
          "'",
          "`",
          "&",
          "&lt;",
          "=",
          "/",
          "\\",
          "</",
          "-->",
          "script",
          "img src=x",
          " onerror=alert(1)",
          "javascript:",
          "textarea",
          "title",
          "{{",
          "}}",
          "${",
          "}",
          "@",
          "\n",
          "\t",
          "\u2028",
          "\u202E",
          "\u200B",
          "\u00A0",
          "\u0001",
          "\uD83D\uDE00",
          "%3C",
          "?",
          "#",
          "text");

  private HostileTexts() {}

  /** A fixed list of them, and some that a seed determines. */
  public static List<String> of(long seed) {
    Random random = new Random(seed);
    List<String> texts = new ArrayList<>(FIXED);
    for (int i = 0; i < RANDOM; i++) {
      texts.add(
          IntStream.rangeClosed(0, 1 + random.nextInt(MOST_PARTS))
              .mapToObj(each -> PARTS.get(random.nextInt(PARTS.size())))
              .collect(Collectors.joining("", "r" + (char) ('a' + i), "z")));
    }
    return texts;
  }

  /** Texts without any effect, each like one of the others: objects of JSON, or words. */
  static List<String> harmless(List<String> others) {
    List<String> texts = new ArrayList<>();
    for (String other : others) {
      String word = "plain " + (char) ('a' + texts.size());
      texts.add(
          other.startsWith("{\"") ? "{\"a\":\"" + word + "\",\"b\":[\"" + word + "\"]}" : word);
    }
    return texts;
  }
}
