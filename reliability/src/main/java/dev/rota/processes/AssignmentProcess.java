package dev.rota.processes;

import dev.rota.Rota;
import dev.rota.assignment.Assignment;
import dev.rota.assignment.WorkerPool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds assignments of the pool "crawlers" of tenant "acme". Answers to the lines "assign TASK" and
 * "release" (the oldest that it has) on its standard input.
 */
final class AssignmentProcess {

  private static final String ASSIGN = "assign ";

  private AssignmentProcess() {}

  /** Arguments: the URL, and the lease in milliseconds. */
  public static void main(String[] args) throws IOException {
    PrintStream answers = JavaProcess.answers();
    Duration lease = Duration.ofMillis(Long.parseLong(args[1]));
    try (Rota rota = Rota.builder(args[0]).lease(lease).build()) {
      WorkerPool crawlers = rota.tenants().get("acme").assignments().workers("crawlers");
      answers.println("started");
      answer(crawlers, answers);
    }
  }

  private static void answer(WorkerPool crawlers, PrintStream answers) throws IOException {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    List<Assignment> held = new ArrayList<>();
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      if (line.startsWith(ASSIGN)) {
        long task = Long.parseLong(line.substring(ASSIGN.length()));
        crawlers.assign(task).made().ifPresent(held::add);
        answers.println(held.size());
      } else {
        answers.println(crawlers.release(held.remove(0)));
      }
    }
  }
}
