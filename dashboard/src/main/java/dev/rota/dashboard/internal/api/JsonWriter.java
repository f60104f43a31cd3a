package dev.rota.dashboard.internal.api;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rota.dashboard.internal.view.Constants;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Writes records as JSON: their components in order, what is empty left out, times and durations as
 * ISO 8601 has them, constants in lower case. Thread-safe.
 */
final class JsonWriter {

  private static final SimpleModule CONSTANTS =
      new SimpleModule()
          .addSerializer(new ConstantSerializer())
          .addKeySerializer(Enum.class, new ConstantKeySerializer());

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .addModule(CONSTANTS)
          .changeDefaultPropertyInclusion(
              all -> all.withValueInclusion(JsonInclude.Include.NON_ABSENT))
          // Methods such as isFinished() are no components.
          .changeDefaultVisibility(all -> all.withIsGetterVisibility(Visibility.NONE))
          .build();

  private JsonWriter() {}

  static String write(Object object) {
    return MAPPER.writeValueAsString(object);
  }

  @SuppressWarnings("rawtypes") // The class of all constants.
  private static final class ConstantSerializer extends StdSerializer<Enum> {

    ConstantSerializer() {
      super(Enum.class);
    }

    @Override
    public void serialize(Enum value, JsonGenerator to, SerializationContext context) {
      to.writeString(Constants.nameOf(value));
    }
  }

  @SuppressWarnings("rawtypes") // The class of all constants.
  private static final class ConstantKeySerializer extends StdSerializer<Enum> {

    ConstantKeySerializer() {
      super(Enum.class);
    }

    @Override
    public void serialize(Enum value, JsonGenerator to, SerializationContext context) {
      to.writeName(Constants.nameOf(value));
    }
  }
}
