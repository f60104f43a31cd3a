package dev.rota.docs;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.TaskKey;
import dev.rota.Tenant;
import dev.rota.Worker;
import java.time.Duration;

/** The examples of docs/keys.md. */
final class KeysExample {

  private KeysExample() {}

  static long order(Tenant acme, String json) {
    // begin once
    NewTask ship = NewTask.of("order.ship", json);
    long id = acme.enqueue(ship.withKey("order-7"));
    long same = acme.enqueue(ship.withKey("order-7")); // adds nothing, returns the same id

    acme.enqueue(ship.withKey(TaskKey.keptFor("daily-report", Duration.ofHours(20))));
    // end once
    return same - id;
  }

  static Worker index(Rota rota, Tenant acme, Index index) {
    // begin versions
    acme.enqueue(
        NewTask.of("index", "text of version 17").withKey(TaskKey.versioned("doc-42", 17)));
    acme.enqueue(
        NewTask.of("index", "text of version 18").withKey(TaskKey.versioned("doc-42", 18)));
    Worker worker = rota.worker().handle("index", task -> index.put(task.payload())).start();
    // end versions
    return worker;
  }

  interface Index {
    void put(String text);
  }
}
