package dev.rota.internal.db;

import dev.rota.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
}
