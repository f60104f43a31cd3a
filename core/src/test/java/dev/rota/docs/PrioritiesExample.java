package dev.rota.docs;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.control.TaskFilter;
import java.util.List;
import javax.sql.DataSource;

/** The examples of docs/priorities.md. */
final class PrioritiesExample {

  private PrioritiesExample() {}

  static void enqueue(Tenant acme, String json) {
    // begin enqueue
    acme.enqueue(NewTask.of("invoice.print", json)); // priority 0
    acme.enqueue(NewTask.of("password.reset", json).priority(100)); // before it
    acme.enqueue(NewTask.of("search.reindex", json).priority(-10)); // after both
    // end enqueue
  }

  static Rota share(DataSource dataSource) {
    // begin share
    Rota rota =
        Rota.builder(dataSource)
            .lowerLanesShare(0.2) // a fifth, instead of a tenth
            .build();
    // end share
    return rota;
  }

  static void change(Tenant acme, List<Long> ids) {
    // begin change
    acme.control().changePriority(TaskFilter.all().kind("invoice.print"), 50);
    acme.control().changePriority(TaskFilter.all().ids(ids), -10);
    acme.control().changePriority(TaskFilter.all().key("order-4711"), 100);
    // end change
  }
}
