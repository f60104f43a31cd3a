package dev.rota.internal.db;

import dev.rota.internal.db.StatementGroup.Part;
import dev.rota.internal.db.StatementGroup.Reply;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.BaseStatement;
import org.postgresql.core.Field;
import org.postgresql.core.Query;
import org.postgresql.core.ResultCursor;
import org.postgresql.core.ResultHandlerBase;
import org.postgresql.core.Tuple;

/**
 * Collects the results of a pipeline, one for each statement. They are read when the driver has
 * received everything, so that a row that cannot be read leaves the connection in order.
 */
final class PipelineResults extends ResultHandlerBase {

  private final List<Answer> answers = new ArrayList<>();

  /** Rows, or the number of changed rows. */
  private record Answer(Field @Nullable [] fields, List<Tuple> rows, int changed) {}

  @Override
  public void handleResultRows(
      Query query, Field[] fields, List<Tuple> rows, @Nullable ResultCursor cursor) {
    answers.add(new Answer(fields, rows, -1));
  }

  @Override
  public void handleCommandStatus(String status, long changed, long oid) {
    answers.add(new Answer(null, List.of(), (int) Math.min(changed, Integer.MAX_VALUE)));
  }

  @Override
  public void handleWarning(SQLWarning warning) {
    // A notice of the server is for the session that asks for it; Rota does not.
  }

  /** Gives each statement its result, once all have run. */
  void read(List<Part> parts, BaseConnection connection) throws SQLException {
    if (answers.size() != parts.size()) {
      throw new SQLException(
          "the server answered " + answers.size() + " of " + parts.size() + " statements");
    }
    for (int i = 0; i < answers.size(); i++) {
      Reply<?> reply = parts.get(i).reply();
      if (reply != null) {
        reply.read(new Result(answers.get(i), connection));
      }
    }
  }

  private record Result(Answer answer, BaseConnection connection) implements StatementResult {

    @Override
    public ResultSet rows() throws SQLException {
      Field[] fields = Objects.requireNonNull(answer.fields, "a statement without rows");
      return ((BaseStatement) connection.createStatement())
          .createDriverResultSet(fields, answer.rows);
    }

    @Override
    public int updateCount() {
      return answer.changed;
    }
  }
}
