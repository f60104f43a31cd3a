package dev.rota.internal.db;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.Oid;
import org.postgresql.core.ParameterList;

/** The form of a value in a pipeline: PostgreSQL's binary one, with its type. */
final class BinaryValue {

  /** The type of {@code ctid}, which the driver does not name. */
  private static final int TID = 27;

  private static final int TID_ARRAY = 1010;

  private static final int LENGTH_OF_NULL = -1;

  private static final Form INT8 =
      new Form(Oid.INT8, Oid.INT8_ARRAY, value -> buffer(Long.BYTES).putLong((Long) value));

  private static final Form INT4 =
      new Form(Oid.INT4, Oid.INT4_ARRAY, value -> buffer(Integer.BYTES).putInt((Integer) value));

  private static final Form INT2 =
      new Form(Oid.INT2, Oid.INT2_ARRAY, value -> buffer(Short.BYTES).putShort((Short) value));

  private static final Form BOOL =
      new Form(Oid.BOOL, Oid.BOOL_ARRAY, value -> buffer(1).put((byte) ((Boolean) value ? 1 : 0)));

  private static final Map<Class<?>, Form> FORMS =
      Map.of(
          Long.class, INT8,
          long.class, INT8,
          Integer.class, INT4,
          int.class, INT4,
          Short.class, INT2,
          short.class, INT2,
          Boolean.class, BOOL,
          boolean.class, BOOL,
          String.class, new Form(Oid.VARCHAR, Oid.VARCHAR_ARRAY, BinaryValue::text),
          RowId.class, new Form(TID, TID_ARRAY, value -> place((RowId) value)));

  private BinaryValue() {}

  /** The types of a value and of an array of such values, and its bytes. */
  private record Form(int type, int arrayType, Function<Object, ByteBuffer> buffer) {
    byte[] bytes(Object value) {
      return buffer.apply(value).array();
    }
  }

  /** Whether a value has a form here. No single value may be null; elements of arrays may be. */
  static boolean isKnown(@Nullable Object value) {
    return value != null && FORMS.containsKey(typeOf(value));
  }

  private static Class<?> typeOf(Object value) {
    Class<?> elements = value.getClass().getComponentType();
    return elements == null ? value.getClass() : elements;
  }

  /** Sets a value that has a form. */
  static void bind(ParameterList values, int place, @Nullable Object value) throws SQLException {
    Object present = Objects.requireNonNull(value, "a null has no type");
    Form form = Objects.requireNonNull(FORMS.get(typeOf(present)), () -> "no form: " + present);
    if (present.getClass().isArray()) {
      values.setBinaryParameter(place, array(present, form), form.arrayType);
    } else {
      values.setBinaryParameter(place, form.bytes(present), form.type);
    }
  }

  private static ByteBuffer text(Object value) {
    return ByteBuffer.wrap(((String) value).getBytes(StandardCharsets.UTF_8));
  }

  private static ByteBuffer place(RowId row) {
    return buffer(Integer.BYTES + Short.BYTES)
        .putInt((int) row.block())
        .putShort((short) row.offset());
  }

  private static byte[] array(Object values, Form form) {
    return values instanceof long[] numbers ? numbers(numbers) : elements(values, form);
  }

  private static byte[] numbers(long[] numbers) {
    byte[] array = ofLength(numbers.length, (long) numbers.length * Long.BYTES);
    ByteBuffer buffer = begin(array, numbers.length, Oid.INT8, false);
    for (long number : numbers) {
      buffer.putInt(Long.BYTES).putLong(number);
    }
    return array;
  }

  private static byte[] elements(Object values, Form form) {
    byte[] @Nullable [] elements = new byte[Array.getLength(values)][];
    long bytes = 0;
    boolean nulls = false;
    for (int i = 0; i < elements.length; i++) {
      Object value = Array.get(values, i);
      if (value == null) {
        nulls = true;
      } else {
        elements[i] = form.bytes(value);
        bytes += elements[i].length;
      }
    }
    byte[] array = ofLength(elements.length, bytes);
    ByteBuffer buffer = begin(array, elements.length, form.type, nulls);
    for (byte[] element : elements) {
      if (element == null) {
        buffer.putInt(LENGTH_OF_NULL);
      } else {
        buffer.putInt(element.length).put(element);
      }
    }
    return array;
  }

  /** An array of one dimension; an empty array has no dimension. */
  private static byte[] ofLength(int elements, long bytes) {
    int head = elements == 0 ? 3 : 5;
    return new byte[Math.toIntExact(bytes + (long) (head + elements) * Integer.BYTES)];
  }

  /** Writes what precedes the first element. */
  private static ByteBuffer begin(byte[] array, int elements, int type, boolean nulls) {
    ByteBuffer buffer = ByteBuffer.wrap(array);
    buffer.putInt(elements == 0 ? 0 : 1).putInt(nulls ? 1 : 0).putInt(type);
    return elements == 0 ? buffer : buffer.putInt(elements).putInt(1);
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes);
  }
}
