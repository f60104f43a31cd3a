package dev.rota.assignment.internal;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.AssignmentResult.AlreadyAssigned;
import dev.rota.assignment.AssignmentResult.Assigned;
import dev.rota.assignment.AssignmentResult.Busy;
import dev.rota.assignment.AssignmentResult.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A row of what a question to an assignment pool is answered by.
 *
 * @param code the first column of the answer
 * @param assignment the new or older one, if the code speaks of one
 */
record Answer(int code, Assignment assignment) {

  /** The worker and the task are assigned to each other. */
  private static final int ASSIGNED = 1;

  /** The worker or the task is in the assignment that is returned. */
  private static final int HELD = 2;

  /** No free member was left. */
  private static final int NONE_FREE = 3;

  /** Another transaction decided after this statement had begun: ask again. */
  static final int RACED = 5;

  /** What it means to the one who asked. */
  AssignmentResult result() {
    return switch (code) {
      case ASSIGNED -> new Assigned(assignment);
      case HELD -> new AlreadyAssigned(assignment);
      case NONE_FREE -> new Busy(Reason.NONE_FREE);
      default -> new Busy(Reason.CONTENDED);
    };
  }

  static Answer read(ResultSet row) throws SQLException {
    return new Answer(
        row.getInt(1), new Assignment(row.getLong(2), row.getLong(3), row.getLong(4)));
  }
}
