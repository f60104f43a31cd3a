package dev.rota.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rota.spi.PayloadCodec;
import dev.rota.spi.PayloadException;
import dev.rota.typed.TypeToken;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Tests both codecs: what they write and read, and the places of errors. */
class CodecsTest {

  private static final String SECRET = "4711-canary";

  record Line(String article, int pieces) {}

  record Order(
      long id,
      List<Line> lines,
      Map<String, Integer> notes,
      Instant at,
      LocalDate due,
      Duration in) {

    Order {
      if (id < 0) {
        throw new IllegalArgumentException("an order has a positive id");
      }
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes({@JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(Square.class)})
  sealed interface Shape {}

  record Circle(int radius) implements Shape {}

  record Square(int side) implements Shape {}

  /** Jackson has no way to make one. */
  interface NoProperties {}

  record Broken(int number) {
    @Override
    public int number() {
      throw new IllegalStateException("no number");
    }
  }

  record Nothing() {}

  private static final Order ORDER =
      new Order(
          7,
          List.of(new Line("pen", 2), new Line("ink", 1)),
          Map.of("for", 1),
          Instant.parse("2026-11-27T06:00:00.123456Z"),
          LocalDate.parse("2026-12-24"),
          Duration.ofMinutes(90));

  static List<PayloadCodec> codecs() {
    return List.of(JacksonCodec.create(), Jackson2Codec.create());
  }

  /** Codecs over mappers of applications that refuse what newer or older producers wrote. */
  static List<PayloadCodec> strictCodecs() {
    return List.of(
        JacksonCodec.of(JsonMapper.builder().build()),
        JacksonCodec.of(
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build()),
        Jackson2Codec.of(
            new ObjectMapper()
                .enable(
                    com.fasterxml.jackson.databind.DeserializationFeature
                        .FAIL_ON_NULL_FOR_PRIMITIVES)),
        JacksonCodec.create(),
        Jackson2Codec.create());
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void eachReadsWhatTheOthersWrote(PayloadCodec codec) {
    for (PayloadCodec writer : codecs()) {
      assertThat(codec.read(writer.write(ORDER), Order.class)).isEqualTo(ORDER);
      assertThat(codec.read(writer.write(3), Integer.class)).isEqualTo(3);
    }
    assertThat(codec.write(ORDER))
        .contains("\"2026-11-27T06:00:00.123456Z\"", "\"2026-12-24\"", "\"PT1H30M\"");
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void typesWithArgumentsKeepThem(PayloadCodec codec) {
    TypeToken<Map<String, List<Shape>>> token = new TypeToken<>() {};
    Map<String, List<Shape>> shapes = Map.of("a", List.of(new Circle(1), new Square(2)));
    for (PayloadCodec writer : codecs()) {
      assertThat(codec.read(writer.write(shapes, token.type()), token.type())).isEqualTo(shapes);
    }
  }

  @ParameterizedTest
  @MethodSource("strictCodecs")
  void propertiesOfNewerProducersAreIgnored(PayloadCodec codec) {
    assertThat(codec.read("{\"article\": \"pen\", \"pieces\": 2, \"colour\": {}}", Line.class))
        .isEqualTo(new Line("pen", 2));
  }

  @ParameterizedTest
  @MethodSource("strictCodecs")
  void propertiesThatOlderProducersLackHaveDefaults(PayloadCodec codec) {
    assertThat(codec.read("{\"article\": \"pen\"}", Line.class)).isEqualTo(new Line("pen", 0));
    assertThat(codec.read("{\"article\": \"pen\", \"pieces\": null}", Line.class))
        .isEqualTo(new Line("pen", 0));
    assertThat(codec.read("{}", Line.class).article()).isNull();
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void anErrorNamesPathLineAndColumnAndNoText(PayloadCodec codec) {
    assertUnreadable(
        codec,
        "{\"lines\": [{\"pieces\": 1}, {\"pieces\": \"" + SECRET + "\"}]}",
        "$.lines[1].pieces: no int\n\tat line 1, column 38");
    assertUnreadable(
        codec,
        "{\n  \"at\": \"" + SECRET + "\"\n}",
        "$.at: no java.time.Instant\n\tat line 2, column 9");
    assertUnreadable(
        codec,
        "{\"notes\": {\"" + SECRET + "\": \"many\"}}",
        "$.notes.*: no java.lang.Integer\n\tat line 1, column 27");
    assertUnreadable(codec, "{\"lines\": x" + SECRET + "}", "malformed JSON\n\tat line 1, column ");
    assertUnreadable(codec, "{\"id\": 1", "malformed JSON\n\tat line 1, column ");
    assertUnreadable(codec, "", "$: no ");
    assertUnreadable(codec, "{\"id\": 1} " + SECRET, "\n\tat line 1, column ");
    assertUnreadable(codec, "[\"" + SECRET + "\"]", "$: no ");
  }

  private static void assertUnreadable(PayloadCodec codec, String payload, String message) {
    assertThatExceptionOfType(PayloadException.class)
        .as(payload)
        .isThrownBy(() -> codec.read(payload, Order.class))
        .withMessageContaining(message)
        .withMessageStartingWith("$")
        .withNoCause()
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain(SECRET, "many"));
  }

  /** The application wrote that exception, and decides what it says. */
  @ParameterizedTest
  @MethodSource("codecs")
  void aConstructorMayRefuseAValue(PayloadCodec codec) {
    assertThatExceptionOfType(PayloadException.class)
        .isThrownBy(() -> codec.read("{\"id\": -1}", Order.class))
        .withMessageContaining(": refused by dev.rota.jackson.CodecsTest$Order\n\tat line 1")
        .withCause(new IllegalArgumentException("an order has a positive id"));
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void aValueThatCannotBeWrittenSaysWhy(PayloadCodec codec) {
    assertThatThrownBy(() -> codec.write(new Broken(1)))
        .isInstanceOf(RuntimeException.class)
        .hasMessageContaining("no number")
        .hasMessageContaining("CodecsTest$Broken[\"number\"]");
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void aValueMayHaveNoProperties(PayloadCodec codec) {
    assertThat(codec.write(new Nothing())).isEqualTo("{}");
    assertThat(codec.read("{\"later\": 1}", Nothing.class)).isEqualTo(new Nothing());
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void aTypeThatJacksonCannotUseIsNamed(PayloadCodec codec) {
    assertThatExceptionOfType(PayloadException.class)
        .isThrownBy(() -> codec.read("{}", NoProperties.class))
        .withMessageContaining("CodecsTest$NoProperties");
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void anUnknownSubtypeIsNoSuchValue(PayloadCodec codec) {
    assertThatExceptionOfType(PayloadException.class)
        .isThrownBy(() -> codec.read("{\"@type\": \"" + SECRET + "\"}", Shape.class))
        .withMessageStartingWith(
            "$: no known subtype of dev.rota.jackson.CodecsTest$Shape\n\tat line 1");
  }
}
