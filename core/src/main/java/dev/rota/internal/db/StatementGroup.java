package dev.rota.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends statements to the server together, and reads their results. Used once.
 *
 * <p>The driver prepares a text that it sees again and again, and never that of a flush that
 * combines other tenants each time. Hence repeated calls use Rota's own names, if the connection
 * keeps them; all others are sent as they are.
 */
final class StatementGroup {

  private final @Nullable StatementCache prepared;
  private final List<String> texts = new ArrayList<>();
  private final List<Reply<?>> replies = new ArrayList<>();
  private final List<@Nullable Object> binds = new ArrayList<>();

  StatementGroup(@Nullable StatementCache prepared) {
    this.prepared = prepared;
  }

  /** Adds a statement whose result is not read. */
  void add(String text) {
    texts.add(text);
  }

  /** Adds a call; returns the place of its result. */
  <T> Reply<T> add(BoundStatement<T> call) {
    List<String> byName = prepared == null ? List.of() : byName(call, prepared);
    if (byName.isEmpty()) {
      texts.add(call.sql());
      binds.addAll(call.binds());
    }
    texts.addAll(byName);
    Reply<T> reply = new Reply<>(call, texts.size() - 1);
    replies.add(reply);
    return reply;
  }

  private static List<String> byName(BoundStatement<?> call, StatementCache prepared) {
    String numbered = call.numbered();
    if (numbered != null) {
      return prepared.texts(numbered, call.binds());
    }
    if (!call.binds().isEmpty()) {
      prepared.caches().sent(call.sql());
    }
    return List.of();
  }

  /** Sends everything and reads the results. */
  void run(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text())) {
      for (int i = 0; i < binds.size(); i++) {
        bind(statement, i + 1, binds.get(i));
      }
      statement.execute();
      int position = 0;
      for (Reply<?> reply : replies) {
        for (; position < reply.position; position++) {
          statement.getMoreResults();
        }
        reply.read(statement);
      }
    }
  }

  private static void bind(PreparedStatement statement, int place, @Nullable Object value)
      throws SQLException {
    statement.setObject(place, value instanceof RowId ? value.toString() : value);
  }

  private String text() {
    return texts.size() == 1 ? texts.get(0) : String.join(";\n", texts);
  }

  /** The result of a call, once the flush has run. */
  static final class Reply<T> {
    private final BoundStatement<T> call;
    private final int position;
    private @Nullable T value;

    Reply(BoundStatement<T> call, int position) {
      this.call = call;
      this.position = position;
    }

    private void read(PreparedStatement statement) throws SQLException {
      value = call.outcome().read(statement);
    }

    T get() {
      return Objects.requireNonNull(value, "the flush has not run");
    }
  }
}
