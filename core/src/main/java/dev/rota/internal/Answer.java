package dev.rota.internal;

import dev.rota.Assignment;
import dev.rota.AssignmentResult;
import dev.rota.AssignmentResult.AlreadyAssigned;
import dev.rota.AssignmentResult.Assigned;
import dev.rota.AssignmentResult.Busy;
import dev.rota.AssignmentResult.Reason;
import dev.rota.internal.db.AssignmentSql;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A row of what a question to an assignment pool is answered by.
 *
 * @param code one of those of {@link AssignmentSql}
 * @param assignment the new or older one, if the code speaks of one
 */
record Answer(int code, Assignment assignment) {

  /** What it means to the one who asked. */
  AssignmentResult result() {
    return switch (code) {
      case AssignmentSql.ASSIGNED -> new Assigned(assignment);
      case AssignmentSql.HELD -> new AlreadyAssigned(assignment);
      case AssignmentSql.NONE_FREE -> new Busy(Reason.NONE_FREE);
      default -> new Busy(Reason.CONTENDED);
    };
  }

  static Answer read(ResultSet row) throws SQLException {
    return new Answer(
        row.getInt(1), new Assignment(row.getLong(2), row.getLong(3), row.getLong(4)));
  }
}
