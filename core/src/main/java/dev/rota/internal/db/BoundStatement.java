package dev.rota.internal.db;

import dev.rota.internal.sql.Sql;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.Oid;
import org.postgresql.core.ParameterList;

/**
 * One statement with its values and the way to read its result: the unit that passes the seam.
 *
 * @param name the name of the statement, for tests and error messages
 * @param sql the statement, tables filled in
 * @param binds its values: numbers, texts, places, and arrays of numbers and texts
 * @param outcome reads the result of the statement
 */
public record BoundStatement<T>(
    String name, String sql, List<@Nullable Object> binds, Outcome<T> outcome) {

  /** The driver counts on sockets that hold as many bytes while neither side reads. */
  private static final long MOST_IN_A_ROUND = 64_000;

  private static final long SIZE_OF_NUMBER = 12;

  private static final Sql REPORT_COUNTERS = Sql.named("report_counters");

  /** Reads the present result of a statement. */
  @FunctionalInterface
  interface Outcome<T> {
    T read(StatementResult result) throws SQLException;
  }

  /** Creates a statement that returns the number of rows it changed. */
  public static BoundStatement<Integer> update(String name, String sql, @Nullable Object... binds) {
    return new BoundStatement<>(name, sql, listOf(binds), StatementResult::updateCount);
  }

  /**
   * Creates an update as {@link #update(String, String, Object...)} does, for a statement without
   * places.
   */
  public static BoundStatement<Integer> update(Sql statement, @Nullable Object... binds) {
    return update(statement.call(), statement.text(), binds);
  }

  /**
   * Creates a statement that stores rows: it fails unless it stored as many as it was given.
   *
   * @param into the owner of the rows, for the error message
   */
  public static BoundStatement<Integer> storing(
      int rows, String into, String name, String sql, @Nullable Object... binds) {
    return new BoundStatement<>(
        name, sql, listOf(binds), result -> stored(result, rows, name, into));
  }

  private static int stored(StatementResult result, int rows, String name, String into)
      throws SQLException {
    int stored = Math.max(0, result.updateCount());
    if (stored != rows) {
      throw new RowCountException(name, into, stored, rows);
    }
    return stored;
  }

  /** A statement that tells how many rows it changed: by itself, or as the one value of one row. */
  public static BoundStatement<Integer> counting(
      String name, String sql, @Nullable Object... binds) {
    return new BoundStatement<>(name, sql, listOf(binds), BoundStatement::count);
  }

  private static int count(StatementResult result) throws SQLException {
    int changed = result.updateCount();
    return changed >= 0 ? changed : readAll(result, row -> row.getInt(1)).get(0);
  }

  /** Creates a statement that returns rows. */
  public static <T> BoundStatement<List<T>> query(
      String name, String sql, RowReader<T> reader, @Nullable Object... binds) {
    return new BoundStatement<>(name, sql, listOf(binds), result -> readAll(result, reader));
  }

  /**
   * Creates a query as {@link #query(String, String, RowReader, Object...)} does, for a statement
   * without places.
   */
  public static <T> BoundStatement<List<T>> query(
      Sql statement, RowReader<T> reader, @Nullable Object... binds) {
    return query(statement.call(), statement.text(), reader, binds);
  }

  /** Returns the same call with a result that is computed from the original one. */
  public <R> BoundStatement<R> map(Function<? super T, ? extends R> mapping) {
    return new BoundStatement<>(name, sql, binds, result -> mapping.apply(outcome.read(result)));
  }

  /**
   * Makes the server report what a transaction does to tables as it commits, not up to 1 s later.
   */
  public static BoundStatement<List<Boolean>> reportingCounters() {
    return query(REPORT_COUNTERS, row -> true);
  }

  /**
   * Cuts statements that may return many rows into rounds, each for one flush. The server sends
   * rows while this process still sends statements and does not read. If the sockets hold neither,
   * both wait for ever.
   *
   * @param kept whether the server keeps the statement of a text, so that the text is not sent
   */
  static <T> List<List<BoundStatement<T>>> rounds(
      List<BoundStatement<T>> calls, Predicate<String> kept) {
    List<List<BoundStatement<T>>> rounds = new ArrayList<>();
    int from = 0;
    long size = 0;
    for (int i = 0; i < calls.size(); i++) {
      long own = calls.get(i).size(kept);
      if (i > from && size + own > MOST_IN_A_ROUND) {
        rounds.add(calls.subList(from, i));
        from = i;
        size = 0;
      }
      size += own;
    }
    rounds.add(calls.subList(from, calls.size()));
    return rounds;
  }

  /** How many bytes are sent with it, approximately. */
  private long size(Predicate<String> kept) {
    long size = kept.test(sql) ? 0 : sql.length();
    for (Object bind : binds) {
      size += bind instanceof Object[] values ? sizeOf(values) : sizeOf(bind);
    }
    return size;
  }

  private static long sizeOf(@Nullable Object[] values) {
    long size = 0;
    for (Object value : values) {
      size += sizeOf(value);
    }
    return size;
  }

  private static long sizeOf(@Nullable Object value) {
    if (value instanceof String text) {
      return SIZE_OF_NUMBER + text.length();
    }
    boolean array = value != null && value.getClass().isArray();
    return SIZE_OF_NUMBER * (array ? Array.getLength(value) : 1);
  }

  private static List<@Nullable Object> listOf(@Nullable Object[] binds) {
    List<@Nullable Object> list = new ArrayList<>(binds.length);
    for (Object bind : binds) {
      list.add(bind);
    }
    return list;
  }

  private static <T> List<T> readAll(StatementResult result, RowReader<T> reader)
      throws SQLException {
    List<T> rows = new ArrayList<>();
    try (ResultSet row = result.rows()) {
      while (row.next()) {
        rows.add(reader.read(row));
      }
    }
    return rows;
  }

  /** Reads the current row of a result. */
  @FunctionalInterface
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** The result of one statement of a flush: rows, or a count of changed rows. */
  interface StatementResult {

    /** Returns the rows; the caller closes them. */
    ResultSet rows() throws SQLException;

    /** Returns the number of changed rows; negative if the statement returned rows. */
    int updateCount() throws SQLException;
  }

  /** The place of a statement's result, which is there once its flush has run. */
  static final class Reply<T> {
    private final BoundStatement<T> call;
    private @Nullable T value;

    private Reply(BoundStatement<T> call) {
      this.call = call;
    }

    String sql() {
      return call.sql;
    }

    List<@Nullable Object> binds() {
      return call.binds;
    }

    void read(StatementResult result) throws SQLException {
      value = call.outcome.read(result);
    }

    T get() {
      return Objects.requireNonNull(value, "the flush has not run");
    }
  }

  /**
   * Sends statements to the server together, and reads their results. Used once.
   *
   * <p>A {@link StatementPipeline} sends each statement by its name. Without one, all of them go as
   * one text, which the driver prepares if it sees the same text again and again.
   */
  static final class Flush {

    private final List<Reply<?>> replies = new ArrayList<>();

    /** Adds a statement whose result is not read. */
    void add(String text) {
      Reply<Boolean> unused = add(new BoundStatement<>(text, text, List.of(), result -> true));
    }

    /** Adds a statement; returns the place of its result. */
    <T> Reply<T> add(BoundStatement<T> call) {
      Reply<T> reply = new Reply<>(call);
      replies.add(reply);
      return reply;
    }

    /** Whether all values have a form in which a pipeline sends them. */
    boolean isForPipeline() {
      return replies.stream()
          .allMatch(reply -> reply.binds().stream().allMatch(BinaryValue::isKnown));
    }

    /** Sends everything and reads the results. */
    void run(Connection connection, @Nullable StatementPipeline pipeline) throws SQLException {
      if (pipeline == null) {
        runAsOneText(connection);
      } else {
        pipeline.run(connection, replies);
      }
    }

    private void runAsOneText(Connection connection) throws SQLException {
      String text = replies.stream().map(Reply::sql).collect(Collectors.joining(";\n"));
      try (PreparedStatement statement = connection.prepareStatement(text)) {
        int place = 0;
        for (Reply<?> reply : replies) {
          for (Object value : reply.binds()) {
            set(statement, ++place, value);
          }
        }
        statement.execute();
        StatementResult present = new PresentResult(statement);
        for (int i = 0; i < replies.size(); i++) {
          if (i > 0) {
            statement.getMoreResults();
          }
          replies.get(i).read(present);
        }
      }
    }

    /** Sets a value; the server knows the type of a place, which the driver does not. */
    private static void set(PreparedStatement statement, int place, @Nullable Object value)
        throws SQLException {
      if (value instanceof RowId row) {
        statement.setObject(place, row.toString(), Types.OTHER);
      } else {
        statement.setObject(place, value);
      }
    }
  }

  /** The result that a statement of JDBC is at. */
  private record PresentResult(PreparedStatement statement) implements StatementResult {

    @Override
    public ResultSet rows() throws SQLException {
      return statement.getResultSet();
    }

    @Override
    public int updateCount() throws SQLException {
      return statement.getUpdateCount();
    }
  }

  /** Thrown when a statement stored another number of rows than it was given. */
  static final class RowCountException extends SQLException {

    private static final long serialVersionUID = 1L;

    RowCountException(String call, String into, int stored, int given) {
      super(
          "\"%s\" of %s stored %d of %d rows; ".formatted(call, into, stored, given)
              + "roll your transaction back if it is yours. A pooler may have run another statement"
              + " under the same name: put prepareThreshold=0 into the JDBC URL; or a trigger or a"
              + " rule keeps rows away: remove it",
          "22000");
    }
  }

  /**
   * The location of a row in its table, called {@code ctid} in PostgreSQL, as a value.
   *
   * @param block the number of the page
   * @param offset the number of the row in it
   */
  public record RowId(long block, int offset) {

    /** Parses PostgreSQL's text form, such as {@code (12,3)}. */
    public static RowId parse(String text) {
      int comma = text.indexOf(',');
      return new RowId(
          Long.parseLong(text, 1, comma, 10),
          Integer.parseInt(text, comma + 1, text.length() - 1, 10));
    }

    /** The start of a page. */
    public static RowId startOf(long block) {
      return new RowId(block, 0);
    }

    @Override
    public String toString() {
      return "(" + block + "," + offset + ")";
    }
  }

  /** The form of a value in a pipeline: PostgreSQL's binary one, with its type. */
  static final class BinaryValue {

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
        new Form(
            Oid.BOOL, Oid.BOOL_ARRAY, value -> buffer(1).put((byte) ((Boolean) value ? 1 : 0)));

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
}
