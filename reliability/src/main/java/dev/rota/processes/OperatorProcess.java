package dev.rota.processes;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import java.io.PrintStream;
import java.time.Duration;

/** Runs one operation on all tasks of tenant "acme" in a separate process. */
final class OperatorProcess {

  private OperatorProcess() {}

  /** Arguments: the URL, and "cancel", "redrive" or "return". */
  public static void main(String[] args) {
    PrintStream answers = JavaProcess.answers();
    try (Rota rota = Rota.connect(args[0])) {
      Tenant acme = rota.tenants().get("acme");
      answers.println("started");
      long count =
          switch (args[1]) {
            case "cancel" -> acme.control().cancel(TaskFilter.all(), "no longer wanted");
            case "redrive" -> acme.control().redrive(Redrive.all());
            case "return" -> acme.control().requeueRunning(Duration.ZERO);
            default -> throw new IllegalArgumentException("cannot " + args[1]);
          };
      answers.println(count);
    }
  }
}
