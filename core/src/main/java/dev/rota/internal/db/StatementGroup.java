package dev.rota.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sends statements to the server together, and reads their results. Used once.
 *
 * <p>A {@link StatementPipeline} sends each statement by its name. Without one, all of them go as
 * one text, which the driver prepares if it sees the same text again and again.
 */
final class StatementGroup {

  private final List<Part> parts = new ArrayList<>();

  /** One statement with its values; without a reply, its result is not read. */
  record Part(String sql, List<@Nullable Object> binds, @Nullable Reply<?> reply) {}

  /** Adds a statement whose result is not read. */
  void add(String text) {
    parts.add(new Part(text, List.of(), null));
  }

  /** Adds a call; returns the place of its result. */
  <T> Reply<T> add(BoundStatement<T> call) {
    Reply<T> reply = new Reply<>(call);
    parts.add(new Part(call.sql(), call.binds(), reply));
    return reply;
  }

  /** Whether all values have a form in which a pipeline sends them. */
  boolean isForPipeline() {
    return parts.stream().allMatch(part -> part.binds.stream().allMatch(BinaryValue::isKnown));
  }

  /** Sends everything and reads the results. */
  void run(Connection connection, @Nullable StatementPipeline pipeline) throws SQLException {
    if (pipeline == null) {
      runAsOneText(connection);
    } else {
      pipeline.run(connection, parts);
    }
  }

  private void runAsOneText(Connection connection) throws SQLException {
    String text = parts.stream().map(Part::sql).collect(Collectors.joining(";\n"));
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      int place = 0;
      for (Part part : parts) {
        for (Object value : part.binds) {
          statement.setObject(++place, value instanceof RowId ? value.toString() : value);
        }
      }
      statement.execute();
      StatementResult present = new PresentResult(statement);
      for (int i = 0; i < parts.size(); i++) {
        if (i > 0) {
          statement.getMoreResults();
        }
        Reply<?> reply = parts.get(i).reply;
        if (reply != null) {
          reply.read(present);
        }
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

  /** The result of a call, once the flush has run. */
  static final class Reply<T> {
    private final BoundStatement<T> call;
    private @Nullable T value;

    Reply(BoundStatement<T> call) {
      this.call = call;
    }

    void read(StatementResult result) throws SQLException {
      value = call.outcome().read(result);
    }

    T get() {
      return Objects.requireNonNull(value, "the flush has not run");
    }
  }
}
