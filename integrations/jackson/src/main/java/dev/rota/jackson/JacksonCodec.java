package dev.rota.jackson;

import dev.rota.spi.PayloadCodec;
import dev.rota.spi.PayloadException;
import java.lang.reflect.Type;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.ValueInstantiationException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Payloads in JSON by Jackson 3. Thread-safe.
 *
 * <p>Producers and workers may have different versions of a type, whatever the mapper says: reading
 * ignores properties that the type does not have, and a number that a payload lacks is 0. It
 * refuses text after the value.
 */
public final class JacksonCodec implements PayloadCodec {

  private final JsonMapper mapper;
  private final ObjectReader reader;

  private JacksonCodec(JsonMapper mapper) {
    this.mapper = mapper;
    this.reader =
        mapper
            .reader()
            .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  }

  /**
   * Creates a codec with the modules that Jackson finds on the class path.
   *
   * @return the codec
   */
  public static JacksonCodec create() {
    return of(JsonMapper.builder().findAndAddModules().build());
  }

  /**
   * Creates a codec with the mapper of the application.
   *
   * @param mapper the mapper
   * @return the codec
   */
  public static JacksonCodec of(JsonMapper mapper) {
    return new JacksonCodec(mapper);
  }

  @Override
  public String write(Object value) {
    return mapper.writeValueAsString(value);
  }

  @Override
  public String write(Object value, Type type) {
    return type instanceof Class
        ? write(value)
        : mapper.writerFor(mapper.constructType(type)).writeValueAsString(value);
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
    } catch (JacksonException e) {
      throw unreadable(e);
    }
  }

  private static PayloadException unreadable(JacksonException e) {
    ValuePath path = new ValuePath();
    e.getPath().forEach(at -> path.add(at.from(), at.getPropertyName(), at.getIndex()));
    TokenStreamLocation place = e.getLocation();
    return new PayloadException(
        path.toString(),
        problem(e),
        place == null ? 0 : place.getLineNr(),
        place == null ? 0 : place.getColumnNr(),
        e instanceof ValueInstantiationException ? e.getCause() : null);
  }

  /** Describes the error without the text: the messages of Jackson quote it. */
  private static String problem(JacksonException e) {
    if (e instanceof StreamReadException) {
      return "malformed JSON";
    }
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
        : e.getClass().getSimpleName();
  }
}
