package dev.rota.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredTextTest {

  @Test
  void whatIsWrittenIsRead() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("plain", "value");
    headers.put("quoted", "a \"b\" \\ c /");
    headers.put("control", "\u0001\t\r\n\b\f\u001f");
    headers.put("unicode", "Grüße \uD83D\uDE00");
    headers.put("empty", "");
    String stored = StoredText.of(headers, "{\"a\":\n1}");
    assertThat(stored.indexOf('\n')).isGreaterThan(stored.indexOf('}'));
    assertThat(StoredText.headers(stored)).isEqualTo(headers);
    assertThat(List.copyOf(StoredText.headers(stored).keySet()))
        .isEqualTo(List.copyOf(headers.keySet()));
    assertThat(StoredText.payload(stored)).isEqualTo("{\"a\":\n1}");
  }

  @Test
  void aTextWithoutHeadersIsStoredAsItIs() {
    String payload = new String("{}\n".toCharArray());
    assertThat(StoredText.of(Map.of(), payload)).isSameAs(payload);
    assertThat(StoredText.payload(payload)).isSameAs(payload);
    assertThat(StoredText.headers(payload)).isEmpty();
    assertThat(StoredText.payload("")).isEmpty();
  }

  @Test
  void theFormOfTheServerIsRead() {
    String stored = "\u0001{\"a\": \"b\\u00e9\\n\\/\", \"c\": \"\"}\npayload";
    assertThat(StoredText.headers(stored)).isEqualTo(Map.of("a", "b\u00e9\n/", "c", ""));
    assertThat(StoredText.headers("\u0001{}\npayload")).isEmpty();
    assertThat(StoredText.payload("\u0001{ }\npayload")).isEqualTo("payload");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{\"a\"}",
        "{\"a\":1}",
        "{\"a\":\"b\"",
        "{\"a\":\"b\",}",
        "{\"a\":\"b\"} x",
        "[]",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\" \"b\"}",
        "{a:\"b\"}"
      })
  void malformedHeadersAreNone(String line) {
    String stored = '\u0001' + line + "\npayload";
    assertThat(StoredText.headers(stored)).isEmpty();
    assertThat(StoredText.payload(stored)).isEqualTo("payload");
  }

  @Test
  void aMarkWithoutALineIsAPayload() {
    assertThat(StoredText.payload("\u0001{}")).isEqualTo("\u0001{}");
    assertThat(StoredText.headers("\u0001{}")).isEmpty();
  }
}
