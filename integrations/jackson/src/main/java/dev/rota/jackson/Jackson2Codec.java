package dev.rota.jackson;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.spi.PayloadCodec;
import dev.rota.spi.PayloadException;
import java.lang.reflect.Type;

/**
 * Payloads in JSON by Jackson 2, for applications that have no Jackson 3 yet. Thread-safe. It needs
 * {@code com.fasterxml.jackson.core:jackson-databind}, which the application adds.
 *
 * <p>Reading ignores properties that the type does not have, takes 0 for a number that a payload
 * lacks, and refuses text after the value, as {@link JacksonCodec} does. Each of the two reads what
 * the other has written.
 */
public final class Jackson2Codec implements PayloadCodec {

  private final ObjectMapper mapper;
  private final ObjectReader reader;

  private Jackson2Codec(ObjectMapper mapper) {
    this.mapper = mapper;
    this.reader =
        mapper
            .reader()
            .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  }

  /**
   * Creates a codec with the modules that it finds on the class path. Times are written as text, as
   * Jackson 3 writes them; they need {@code jackson-datatype-jsr310}.
   *
   * @return the codec
   */
  public static Jackson2Codec create() {
    return of(
        JsonMapper.builder()
            .findAndAddModules()
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .build());
  }

  /**
   * Creates a codec with the mapper of the application.
   *
   * @param mapper the mapper
   * @return the codec
   */
  public static Jackson2Codec of(ObjectMapper mapper) {
    return new Jackson2Codec(mapper);
  }

  @Override
  public String write(Object value) {
    return write(value, (Type) value.getClass());
  }

  @Override
  public String write(Object value, Type type) {
    try {
      return type instanceof Class
          ? mapper.writeValueAsString(value)
          : mapper.writerFor(mapper.constructType(type)).writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** Jackson makes what it is asked for. */
  @Override
  @SuppressWarnings("unchecked")
  public <T> T read(String payload, Class<T> type) {
    return (T) read(payload, (Type) type);
  }

  @Override
  public Object read(String payload, Type type) {
    try {
      return reader.forType(mapper.constructType(type)).readValue(payload);
    } catch (JsonProcessingException e) {
      throw unreadable(e);
    }
  }

  private static PayloadException unreadable(JsonProcessingException e) {
    ValuePath path = new ValuePath();
    if (e instanceof JsonMappingException mapping) {
      mapping.getPath().forEach(at -> path.add(at.getFrom(), at.getFieldName(), at.getIndex()));
    }
    JsonLocation place = e.getLocation();
    return new PayloadException(
        path.toString(),
        problem(e),
        place == null ? 0 : place.getLineNr(),
        place == null ? 0 : place.getColumnNr(),
        e instanceof ValueInstantiationException ? e.getCause() : null);
  }

  /** Describes the error without the text: the messages of Jackson quote it. */
  private static String problem(JsonProcessingException e) {
    if (e instanceof InvalidDefinitionException) {
      return e.getOriginalMessage();
    }
    if (e instanceof ValueInstantiationException refused) {
      return "refused by " + refused.getType().toCanonical();
    }
    if (e instanceof InvalidTypeIdException unknown) {
      return "no known subtype of " + unknown.getBaseType().toCanonical();
    }
    return e instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null
        ? "no " + mismatch.getTargetType().getTypeName()
        : "malformed JSON";
  }
}
