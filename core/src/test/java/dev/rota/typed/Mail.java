package dev.rota.typed;

import dev.rota.spi.PayloadCodec;
import dev.rota.spi.PayloadException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The value of the tests' tasks. */
record Mail(String to, int copies) {

  static final Kind<Mail> SEND = Kind.of("email.send", Mail.class);

  /** Writes a mail as {@code joe*2}, and a list of them with commas. */
  static final class Codec implements PayloadCodec {

    @Override
    public String write(Object value) {
      if (value instanceof Mail mail) {
        return mail.to + "*" + mail.copies;
      }
      throw new IllegalArgumentException("this is no mail");
    }

    @Override
    public String write(Object value, Type type) {
      return value instanceof List<?> list
          ? list.stream().map(this::write).collect(Collectors.joining(","))
          : write(value);
    }

    @Override
    public <T> T read(String payload, Class<T> type) {
      return type.cast(payload.equals("null") ? null : mail(payload));
    }

    @Override
    public Object read(String payload, Type type) {
      return type instanceof ParameterizedType
          ? Arrays.stream(payload.split(",", -1)).map(Codec::mail).toList()
          : PayloadCodec.super.read(payload, type);
    }

    private static Mail mail(String payload) {
      int star = payload.indexOf('*');
      if (star < 0) {
        throw new IllegalStateException("a mail has a star");
      }
      try {
        return new Mail(payload.substring(0, star), Integer.parseInt(payload.substring(star + 1)));
      } catch (NumberFormatException e) {
        throw new PayloadException("$.copies", "no int", 1, star + 2, null);
      }
    }
  }
}
