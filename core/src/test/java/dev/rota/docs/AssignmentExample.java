package dev.rota.docs;

import dev.rota.Tenant;
import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.AssignmentResult.AlreadyAssigned;
import dev.rota.assignment.AssignmentResult.Assigned;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BiConsumer;
import javax.sql.DataSource;

/** The examples of docs/assignment.md. */
final class AssignmentExample {

  private final Tenant acme;
  private final BiConsumer<Long, Long> work;

  AssignmentExample(Tenant acme, BiConsumer<Long, Long> work) {
    this.acme = acme;
    this.work = work;
  }

  void taskAsks() {
    // begin worker pool
    WorkerPool crawlers = acme.assignments().workers("crawlers"); // made when opened first
    crawlers.add(List.of(1L, 2L, 3L));

    AssignmentResult answer = crawlers.assign(4711); // a free worker for task 4711
    if (answer instanceof Assigned got) {
      work.accept(got.assignment().worker(), 4711L);
      crawlers.release(got.assignment()); // the worker is free again
    } else if (answer instanceof AlreadyAssigned other) {
      System.out.println("worker " + other.assignment().worker() + " is at it");
    } else {
      System.out.println("all workers are busy, ask again");
    }
    // end worker pool
  }

  void workerAsks() {
    // begin task pool
    TaskPool pages = acme.assignments().tasks("pages");
    pages.add(List.of(100L, 101L, 102L));

    long me = 7;
    for (var got = pages.assign(me).made(); got.isPresent(); got = pages.assign(me).made()) {
      Assignment assignment = got.get();
      work.accept(me, assignment.task());
      pages.finish(assignment); // done: the task leaves; release() would put it back
    }
    // end task pool
  }

  void bothAreGiven() {
    // begin pair pool
    PairPool crews = acme.assignments().pairs("crews");

    if (crews.assign(7, 4711) instanceof Assigned got) { // if worker and task are both free
      work.accept(7L, 4711L);
      crews.release(got.assignment()); // returns false if it was taken away meanwhile
    }
    // end pair pool
  }

  void inATransaction(DataSource dataSource, WorkerPool crawlers) throws SQLException {
    // begin transaction
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false); // your own writes go here, in the same transaction
      var got = crawlers.assign(connection, 4711).made();
      if (got.isPresent()) {
        connection.commit(); // the worker is assigned if you commit
      } else {
        connection.rollback();
      }
    }
    // end transaction
  }
}
