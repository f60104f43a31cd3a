package dev.rota.processes;

import dev.rota.NewTask;
import dev.rota.Rota;
import java.io.PrintStream;
import java.util.Collections;

/**
 * Runs a producer in a separate process. Enqueues large tasks in one call and prints their number.
 */
final class LargeProducerProcess {

  private LargeProducerProcess() {}

  /** Arguments: the URL, the number of tasks, the characters of each payload. */
  public static void main(String[] args) {
    PrintStream answers = JavaProcess.answers();
    int characters = Integer.parseInt(args[2]);
    NewTask task = NewTask.of("large", "x".repeat(characters));
    try (Rota rota = Rota.builder(args[0]).payloadLimit(characters).build()) {
      answers.println("started");
      int enqueued =
          rota.tenants()
              .get("acme")
              .enqueueAll(Collections.nCopies(Integer.parseInt(args[1]), task))
              .size();
      answers.println(enqueued);
    }
  }
}
